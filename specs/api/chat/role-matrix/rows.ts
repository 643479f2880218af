import type { ErrorCode } from "../../../../contract/errors.ts";
import type { ChatBlockedTerm, ChatSettingsUpdate, CommandMethod } from "../../../../contract/wire.ts";
import type { CallOptions, OperationId } from "../../../support/api.ts";
import type { World } from "../../../support/world.ts";

/** All roles in a room. A first-timer follows it, and has never written there. */
export const ROLES = [
  "anonymous",
  "viewer",
  "firstTime",
  "follower",
  "subscriber",
  "vip",
  "moderator",
  "otherModerator",
  "owner",
  "staff",
  "banned",
  "timedOut",
] as const;

export type Role = (typeof ROLES)[number];
/** "held" is also a success: a moderator decides. */
type Outcome = "success" | "held" | ErrorCode;

/** The ids that requests of the table use. */
export type Named = {
  streamId: string;
  /** Not in the table, without a role in any room. */
  somebody: { id: string; username: string };
  moderator: { id: string; username: string };
  owner: { id: string };
  staff: { id: string };
  /** A message of `somebody`, and one of the caller. */
  message: string;
  own: string;
};

export type Door = "REST" | "socket";
type Sent = { text: string };
type Request = (named: Named, sent: Sent, world: World) => CallOptions | Promise<CallOptions>;
type Command = [CommandMethod, (named: Named, sent: Sent) => object];

/** One operation per row: the outcome for each role, by which doors. */
export type Row = {
  title: string;
  operation?: OperationId;
  request: Request;
  command?: Command;
  expected: Record<Role, Outcome>;
  /** In force while the row runs. */
  modes?: ChatSettingsUpdate;
  /** The text; by default a new one each time. */
  text?: (door: Door) => string;
  /** Makes the default text. */
  saying?: (n: number) => string;
  /** The room's blocked term while the row runs. */
  term?: { term: string; action: ChatBlockedTerm["action"] };
  isSend?: true;
};

const each = (outcome: (role: Role) => Outcome) =>
  Object.fromEntries(ROLES.map((role) => [role, outcome(role)])) as Record<Role, Outcome>;

const passes = (...roles: Role[]) =>
  each((role) => {
    if (role === "anonymous") return "auth_required";
    return roles.includes(role) ? "success" : "forbidden";
  });

const OPEN = each(() => "success");
const SIGNED_IN = each((role) => (role === "anonymous" ? "auth_required" : "success"));
const MODERATORS = passes("moderator", "owner", "staff");
const OWNER = passes("owner");

/** For allowed roles that name something that doesn't exist. */
export const NONE = { moderator: "not_found", owner: "not_found", staff: "not_found" } as const;

type More = Partial<Omit<Row, "expected" | "operation">>;
type Add = (operation: OperationId, more?: More, but?: Partial<Record<Role, Outcome>>) => Row;

const adding =
  (expected: Row["expected"]): Add =>
  (operation, more = {}, but = {}) => ({
    title: operation,
    operation,
    request: () => ({}),
    ...more,
    expected: { ...expected, ...but },
  });

/** Rows for everybody, for signed-in users, for moderators (with owner and staff), and for the owner. */
export const open = adding(OPEN);
export const signedIn = adding(SIGNED_IN);
export const moderators = adding(MODERATORS);
export const owners = adding(OWNER);

/** A command that only sockets have. */
export const socketOnly = (title: string, command: Command, expected: Row["expected"] = OPEN): Row => ({
  title,
  request: () => ({}),
  command,
  expected,
});

/** A message under those modes; `but`: the roles that are refused because of them. */
export function sending(
  title: string,
  modes: ChatSettingsUpdate,
  but: Partial<Record<Role, Outcome>> = {},
  more: More = {},
): Row {
  const kept = { banned: "banned", timedOut: "timed_out" } as const;
  return {
    ...signedIn(
      "sendChatMessage",
      {
        title: `sendChatMessage, ${title}`,
        request: (_named, { text }) => ({ body: { content: text } }),
        command: ["chat.send", ({ streamId }, { text }) => ({ channel: `chat:${streamId}`, content: text })],
        modes,
        isSend: true,
        ...more,
      },
      { ...but, ...kept },
    ),
  };
}

/** A slash command, by both doors. */
export const command = (
  add: Add,
  text: (named: Named) => string,
  but?: Partial<Record<Role, Outcome>>,
): Row =>
  add(
    "runChatCommand",
    {
      title: `runChatCommand, ${text(EXAMPLE)}`,
      request: (named) => ({ body: { command: text(named) } }),
      command: ["chat.command", (named) => ({ channel: `chat:${named.streamId}`, command: text(named) })],
    },
    but,
  );

const EXAMPLE: Named = {
  streamId: "",
  somebody: { id: "", username: "somebody" },
  moderator: { id: "", username: "moderator" },
  owner: { id: "" },
  staff: { id: "" },
  message: "<message>",
  own: "<own message>",
};

/** The request of an act on one user. */
export const on =
  (who: "somebody" | "moderator" | "owner" | "staff", body?: object): Request =>
  (named) => ({ params: { user_id: named[who].id }, ...(body ? { body } : {}) });
