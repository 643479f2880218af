import { invalid, type ServiceError } from "../../../contract/errors.ts";
import type { Scope } from "../../../contract/scopes.ts";
import { textRule } from "../../../contract/text-patterns.ts";
import { trimmed } from "../../../contract/typed-input.ts";
import type { ChatSettingsUpdate } from "../../../contract/wire.ts";
import { typedCommand } from "../../../realtime/rooms/text.ts";
import { readDuration } from "./typed-duration.ts";

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

/** A name that was completed, or mentioned in a sentence, has `@` before it and a mark after it. */
const USERNAME = /^@?(\w{1,64})[,:;.!]?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reads a command's arguments word by word. */
class ArgumentReader {
  readonly #refusal: () => ServiceError;
  #rest: string;

  constructor(rest: string, refusal: () => ServiceError) {
    this.#rest = rest;
    this.#refusal = refusal;
  }

  /** Consumes the next word if it matches `pattern`, in whatever width; else consumes nothing and returns null. */
  take(pattern: RegExp): RegExpExecArray | null {
    const end = this.#rest.search(/\s/);
    const word = end === -1 ? this.#rest : this.#rest.slice(0, end);
    const found = pattern.exec(word.normalize("NFKC"));
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
    const read = readDuration(this.#rest, unit);
    if (read === null) return usual;
    // A word that begins with a digit is a mistyped duration, not the beginning of a reason.
    if (!read.ok) return this.refuse();
    this.#rest = read.rest;
    const given = read.seconds / unit;
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
    throw this.#refusal();
  }
}

/** `scopes`: what a personal token needs to run it. */
type CommandSyntax = {
  expects: string;
  scopes: readonly Scope[];
  read(args: ArgumentReader): ChatCommand;
};

/** The scopes of operations that moderate, and of those that give and take roles. */
const MODERATES: readonly Scope[] = ["chat:moderate"];
const GIVES_ROLES: readonly Scope[] = ["chat:moderate", "channel:manage"];

const onUser = (
  kind: "unban" | "untimeout" | "mod" | "unmod" | "vip" | "unvip",
  scopes: readonly Scope[],
): CommandSyntax => ({
  expects: `/${kind} <user>`,
  scopes,
  read: (args) => ({ kind, username: args.username() }),
});

const setting = (name: string, change: ChatSettingsUpdate): CommandSyntax => ({
  expects: `/${name}`,
  scopes: MODERATES,
  read: () => ({ kind: "settings", change }),
});

/** Names that other platforms' chats use for this mode, too. */
const UNIQUE_CHAT_NAMES = ["uniquechat", "r9kbeta"];

const COMMAND_SYNTAX: ReadonlyMap<string, CommandSyntax> = new Map<string, CommandSyntax>([
  [
    "ban",
    {
      expects: `/ban <user> [reason, at most ${MAX_REASON} characters]`,
      scopes: MODERATES,
      read: (args) => ({ kind: "ban", username: args.username(), reason: args.reason() }),
    },
  ],
  ["unban", onUser("unban", MODERATES)],
  [
    "timeout",
    {
      expects: `/timeout <user> [1s..14d like 10m, 1h30m or 10 minutes; bare numbers are seconds] [reason, at most ${MAX_REASON} characters]`,
      scopes: MODERATES,
      read(args) {
        const username = args.username();
        const seconds = args.duration(1, { ...TIMEOUT_SECONDS, min: 1 });
        return { kind: "timeout", username, seconds, reason: args.reason() };
      },
    },
  ],
  ["untimeout", onUser("untimeout", MODERATES)],
  ["mod", onUser("mod", GIVES_ROLES)],
  ["unmod", onUser("unmod", GIVES_ROLES)],
  ["vip", onUser("vip", GIVES_ROLES)],
  ["unvip", onUser("unvip", GIVES_ROLES)],
  ["clear", { expects: "/clear", scopes: MODERATES, read: () => ({ kind: "clear" }) }],
  [
    "delete",
    {
      expects: "/delete <id of a message>",
      scopes: MODERATES,
      read: (args) => ({ kind: "delete", uuid: args.uuid() }),
    },
  ],
  [
    "slow",
    {
      expects: "/slow [1s..300s like 30s or 2 minutes; bare numbers are seconds]",
      scopes: MODERATES,
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
      expects: "/followers [0..90d like 10m, 1h30m or 2 weeks; bare numbers are minutes]",
      scopes: MODERATES,
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

/** What the documents allow in commands; messages may have more, and reasons of bans are shown in logs. */
const LINE = textRule("line");
const IS_LINE = new RegExp(LINE.pattern, "u");

/**
 * Parses one slash command in linear time, from any door. Throws validation_failed with the expected form; `path` is where the
 * request has the text.
 */
export function parseChatCommand(text: string, path: string): ChatCommand {
  const refusal = (message: string) => invalid({ path, rule: "command", message });
  const { syntax, rest } = commandIn(text) ?? {};
  if (syntax === undefined || rest === undefined) {
    throw refusal(`must begin with one of ${[...COMMAND_SYNTAX.keys()].map((one) => `/${one}`).join(" ")}`);
  }
  if (!IS_LINE.test(rest)) throw refusal(`must be ${LINE["x-words"]}`);
  const args = new ArgumentReader(trimmed(rest), () => refusal(`must be ${syntax.expects}`));
  const command = syntax.read(args);
  args.end();
  return command;
}

/** What a personal token needs to run the command; null for a text that names none. */
export function scopesOfCommand(text: string): readonly Scope[] | null {
  return commandIn(text)?.syntax.scopes ?? null;
}

function commandIn(text: string): { syntax: CommandSyntax; rest: string } | null {
  const { name, rest = "" } = typedCommand(text) ?? {};
  const syntax = name === undefined ? undefined : COMMAND_SYNTAX.get(name);
  return syntax ? { syntax, rest } : null;
}
