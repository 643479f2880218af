import { invalid, type ServiceError } from "../../specs/contract/errors.ts";
import type { ChatSettingsUpdate } from "../../specs/contract/wire.ts";

/** A parsed slash command; users are still given by name. */
export type ChatCommand =
  | { kind: "ban"; username: string; reason: string | null }
  | { kind: "timeout"; username: string; seconds: number; reason: string | null }
  | { kind: "unban" | "untimeout" | "mod" | "unmod" | "vip" | "unvip"; username: string }
  | { kind: "clear" }
  | { kind: "delete"; uuid: string }
  | { kind: "settings"; change: ChatSettingsUpdate };

const TIMEOUT_SECONDS = { default: 600, max: 1_209_600 };
const SLOW_SECONDS = { default: 30, max: 300 };
const FOLLOWERS_MINUTES = { default: 0, max: 129_600 };
const MAX_REASON = 500;

const SECONDS_OF = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800, mo: 2_592_000 } as const;
const DURATION = /^(\d+)(s|mo|m|h|d|w)?$/;
const USERNAME = /^@?(\w{1,64})$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reads a command's arguments word by word. */
class ArgumentReader {
  readonly #expected: string;
  #rest: string;

  constructor(rest: string, expected: string) {
    this.#rest = rest.trim();
    this.#expected = expected;
  }

  /** Consumes the next word if it matches `pattern`; else consumes nothing and returns null. */
  take(pattern: RegExp): RegExpExecArray | null {
    const end = this.#rest.search(/\s/);
    const found = pattern.exec(end === -1 ? this.#rest : this.#rest.slice(0, end));
    if (found) this.#rest = end === -1 ? "" : this.#rest.slice(end).trimStart();
    return found;
  }

  username(): string {
    return this.take(USERNAME)?.[1]?.toLowerCase() ?? this.refuse();
  }

  /** A duration in units of `unit` seconds, the unit of a bare number too; `default` when no duration is given. */
  duration(
    unit: number,
    { default: usual, min, max }: { default: number; min: number; max: number },
  ): number {
    const [, digits, name] = this.take(DURATION) ?? [];
    if (digits === undefined) {
      // A word that begins with a digit is a mistyped duration, not the beginning of a reason.
      if (/^\d/.test(this.#rest)) this.refuse();
      return usual;
    }
    const given = Number(digits) * (isUnit(name) ? SECONDS_OF[name] / unit : 1);
    return Number.isInteger(given) && given >= min && given <= max ? given : this.refuse();
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

  /** Throws when there is input left. */
  end(): void {
    if (this.#rest !== "") this.refuse();
  }

  refuse(): never {
    throw invalidCommand(`must be ${this.#expected}`);
  }
}

const isUnit = (name: string | undefined): name is keyof typeof SECONDS_OF =>
  name !== undefined && name in SECONDS_OF;

type CommandSyntax = { expects: string; read(args: ArgumentReader): ChatCommand };

const onUser = (kind: "unban" | "untimeout" | "mod" | "unmod" | "vip" | "unvip"): CommandSyntax => ({
  expects: `/${kind} <user>`,
  read: (args) => ({ kind, username: args.username() }),
});

const setting = (name: string, change: ChatSettingsUpdate): CommandSyntax => ({
  expects: `/${name}`,
  read: () => ({ kind: "settings", change }),
});

/** Names that other platforms' chats use for this mode, too. */
const UNIQUE_CHAT_NAMES = ["uniquechat", "r9kbeta"];

const COMMAND_SYNTAX: ReadonlyMap<string, CommandSyntax> = new Map<string, CommandSyntax>([
  [
    "ban",
    {
      expects: `/ban <user> [reason, at most ${MAX_REASON} characters]`,
      read: (args) => ({ kind: "ban", username: args.username(), reason: args.reason() }),
    },
  ],
  ["unban", onUser("unban")],
  [
    "timeout",
    {
      expects: `/timeout <user> [1s..14d, bare numbers are seconds] [reason, at most ${MAX_REASON} characters]`,
      read(args) {
        const username = args.username();
        const seconds = args.duration(1, { ...TIMEOUT_SECONDS, min: 1 });
        return { kind: "timeout", username, seconds, reason: args.reason() };
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
    { expects: "/delete <id of a message>", read: (args) => ({ kind: "delete", uuid: args.uuid() }) },
  ],
  [
    "slow",
    {
      expects: "/slow [1s..300s, bare numbers are seconds]",
      read: (args) => ({
        kind: "settings",
        change: { slow: args.duration(1, { ...SLOW_SECONDS, min: 1 }) },
      }),
    },
  ],
  ["slowoff", setting("slowoff", { slow: null })],
  [
    "followers",
    {
      expects: "/followers [0..90d, bare numbers are minutes]",
      read: (args) => ({
        kind: "settings",
        change: { followers_only: args.duration(60, { ...FOLLOWERS_MINUTES, min: 0 }) },
      }),
    },
  ],
  ["followersoff", setting("followersoff", { followers_only: null })],
  ["emoteonly", setting("emoteonly", { emote_only: true })],
  ["emoteonlyoff", setting("emoteonlyoff", { emote_only: false })],
  ["shield", setting("shield", { shield_mode: true })],
  ["shieldoff", setting("shieldoff", { shield_mode: false })],
  ...UNIQUE_CHAT_NAMES.flatMap((name): [string, CommandSyntax][] => [
    [name, setting(name, { unique_chat: true })],
    [`${name}off`, setting(`${name}off`, { unique_chat: false })],
  ]),
]);

const NAME = /^\/([a-z0-9]{1,20})(?=\s|$)/i;

/** Parses one slash command in linear time. Throws validation_failed with the expected form. */
export function parseChatCommand(text: string): ChatCommand {
  const trimmed = text.trim();
  const name = NAME.exec(trimmed)?.[1]?.toLowerCase();
  const syntax = name === undefined ? undefined : COMMAND_SYNTAX.get(name);
  if (!syntax || name === undefined) {
    throw invalidCommand(
      `must begin with one of ${[...COMMAND_SYNTAX.keys()].map((one) => `/${one}`).join(" ")}`,
    );
  }
  const args = new ArgumentReader(trimmed.slice(name.length + 1), syntax.expects);
  const command = syntax.read(args);
  args.end();
  return command;
}

function invalidCommand(message: string): ServiceError {
  return invalid({ path: "/command", rule: "command", message });
}
