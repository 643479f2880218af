import { ServiceError } from "../../specs/contract/errors.ts";
import type { ChatSettingsUpdate } from "../../specs/contract/wire.ts";

/** What a slash command asks for, with users by name. */
export type ChatCommand =
  | { kind: "ban"; username: string; reason: string | null }
  | { kind: "timeout"; username: string; seconds: number; reason: string | null }
  | { kind: "unban" | "untimeout" | "mod" | "unmod" | "vip" | "unvip"; username: string }
  | { kind: "clear" }
  | { kind: "delete"; uuid: string }
  | { kind: "settings"; change: ChatSettingsUpdate };

const TIMEOUT_SECONDS = { usual: 600, most: 1_209_600 };
const SLOW_SECONDS = { usual: 30, most: 300 };
const FOLLOWERS_MINUTES = { usual: 0, most: 129_600 };
const MAX_REASON = 500;

const SECONDS_OF = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800, mo: 2_592_000 } as const;
const DURATION = /^(\d+)(s|mo|m|h|d|w)?$/;
const USERNAME = /^@?(\w{1,64})$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What stands behind a command's name, taken word by word. */
class Words {
  readonly #expected: string;
  #rest: string;

  constructor(rest: string, expected: string) {
    this.#rest = rest.trim();
    this.#expected = expected;
  }

  /** The next word, if `pattern` takes it. */
  take(pattern: RegExp): RegExpExecArray | null {
    const end = this.#rest.search(/\s/);
    const found = pattern.exec(end === -1 ? this.#rest : this.#rest.slice(0, end));
    if (found) this.#rest = end === -1 ? "" : this.#rest.slice(end).trimStart();
    return found;
  }

  username(): string {
    return this.take(USERNAME)?.[1]?.toLowerCase() ?? this.refuse();
  }

  /** In `unit` seconds, which a bare number counts in; `usual` where there is none. */
  duration(unit: number, { usual, most, least }: { usual: number; most: number; least: number }): number {
    const [, digits, name] = this.take(DURATION) ?? [];
    if (digits === undefined) {
      // Rather than taking a mistyped one for the beginning of a reason.
      if (/^\d/.test(this.#rest)) this.refuse();
      return usual;
    }
    const given = Number(digits) * (isUnit(name) ? SECONDS_OF[name] / unit : 1);
    return Number.isInteger(given) && given >= least && given <= most ? given : this.refuse();
  }

  reason(): string | null {
    const reason = this.#rest;
    this.#rest = "";
    if ([...reason].length > MAX_REASON) return this.refuse();
    return reason === "" ? null : reason;
  }

  uuid(): string {
    return this.take(UUID)?.[0] ?? this.refuse();
  }

  /** Nothing more may stand there. */
  end(): void {
    if (this.#rest !== "") this.refuse();
  }

  refuse(): never {
    throw invalid(`must be ${this.#expected}`);
  }
}

const isUnit = (name: string | undefined): name is keyof typeof SECONDS_OF =>
  name !== undefined && name in SECONDS_OF;

type Form = { expects: string; read(words: Words): ChatCommand };

const onUser = (kind: "unban" | "untimeout" | "mod" | "unmod" | "vip" | "unvip"): Form => ({
  expects: `/${kind} <user>`,
  read: (words) => ({ kind, username: words.username() }),
});

const setting = (name: string, change: ChatSettingsUpdate): Form => ({
  expects: `/${name}`,
  read: () => ({ kind: "settings", change }),
});

/** Names by which chats know them elsewhere as well. */
const UNIQUE = ["uniquechat", "r9kbeta"];

const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  [
    "ban",
    {
      expects: `/ban <user> [reason, at most ${MAX_REASON} characters]`,
      read: (words) => ({ kind: "ban", username: words.username(), reason: words.reason() }),
    },
  ],
  ["unban", onUser("unban")],
  [
    "timeout",
    {
      expects: `/timeout <user> [1s..14d, bare numbers are seconds] [reason, at most ${MAX_REASON} characters]`,
      read(words) {
        const username = words.username();
        const seconds = words.duration(1, { ...TIMEOUT_SECONDS, least: 1 });
        return { kind: "timeout", username, seconds, reason: words.reason() };
      },
    },
  ],
  ["untimeout", onUser("untimeout")],
  ["mod", onUser("mod")],
  ["unmod", onUser("unmod")],
  ["vip", onUser("vip")],
  ["unvip", onUser("unvip")],
  ["clear", { expects: "/clear", read: () => ({ kind: "clear" }) }],
  [
    "delete",
    { expects: "/delete <id of a message>", read: (words) => ({ kind: "delete", uuid: words.uuid() }) },
  ],
  [
    "slow",
    {
      expects: "/slow [1s..300s, bare numbers are seconds]",
      read: (words) => ({
        kind: "settings",
        change: { slow: words.duration(1, { ...SLOW_SECONDS, least: 1 }) },
      }),
    },
  ],
  ["slowoff", setting("slowoff", { slow: null })],
  [
    "followers",
    {
      expects: "/followers [0..90d, bare numbers are minutes]",
      read: (words) => ({
        kind: "settings",
        change: { followers_only: words.duration(60, { ...FOLLOWERS_MINUTES, least: 0 }) },
      }),
    },
  ],
  ["followersoff", setting("followersoff", { followers_only: null })],
  ["emoteonly", setting("emoteonly", { emote_only: true })],
  ["emoteonlyoff", setting("emoteonlyoff", { emote_only: false })],
  ["shield", setting("shield", { shield_mode: true })],
  ["shieldoff", setting("shieldoff", { shield_mode: false })],
  ...UNIQUE.flatMap((name): [string, Form][] => [
    [name, setting(name, { unique_chat: true })],
    [`${name}off`, setting(`${name}off`, { unique_chat: false })],
  ]),
]);

const NAME = /^\/([a-z0-9]{1,20})(?=\s|$)/i;

/** Reads one slash command, in time linear to its length. Throws validation_failed, which says what would be right. */
export function parseChatCommand(text: string): ChatCommand {
  const trimmed = text.trim();
  const name = NAME.exec(trimmed)?.[1]?.toLowerCase();
  const form = name === undefined ? undefined : FORMS.get(name);
  if (!form || name === undefined) {
    throw invalid(`must begin with one of ${[...FORMS.keys()].map((one) => `/${one}`).join(" ")}`);
  }
  const words = new Words(trimmed.slice(name.length + 1), form.expects);
  const command = form.read(words);
  words.end();
  return command;
}

function invalid(message: string): ServiceError {
  return new ServiceError("validation_failed", { errors: [{ path: "/command", rule: "command", message }] });
}
