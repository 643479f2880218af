import type { ErrorCode } from "../../../contract/errors.ts";
import type { ChatBlockedTerm, ChatSettingsUpdate, CommandMethod } from "../../../contract/wire.ts";
import type { CallOptions, OperationId } from "../../../support/api.ts";

/** Everyone who may come to a room. A first-timer follows it, and was never heard there. */
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
/** "held" is a success as well: a moderator decides. */
export type Outcome = "success" | "held" | ErrorCode;

/** What requests of the table name. */
export type Named = {
  streamId: string;
  /** Nobody of the table, with a role in no room. */
  somebody: { id: string; username: string };
  moderator: { id: string; username: string };
  owner: { id: string };
  staff: { id: string };
  /** Of a message that somebody said, and of the caller's own. */
  message: string;
  own: string;
  /** The one that is open, or was. */
  poll: { id: string; option: string };
};

export type Door = "REST" | "socket";
type Sent = { text: string };
type Request = (named: Named, sent: Sent) => CallOptions;
type Command = [CommandMethod, (named: Named, sent: Sent) => object];

/** One operation as one line: who gets what of it, by which doors. */
export type Row = {
  title: string;
  operation?: OperationId;
  request: Request;
  command?: Command;
  expected: Record<Role, Outcome>;
  /** In force while the row is gone through. */
  modes?: ChatSettingsUpdate;
  /** What is said: something new each time, else this. */
  text?: (door: Door) => string;
  /** Of what is new each time. */
  saying?: (n: number) => string;
  /** Of the room while the row is gone through. */
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

/** For everybody, for moderators (owner and staff among them), and for the owner. */
export const open = adding(OPEN);
export const signedIn = adding(SIGNED_IN);
export const moderators = adding(MODERATORS);
export const owners = adding(OWNER);

/** What only sockets have. */
export const socketOnly = (title: string, command: Command, expected: Row["expected"] = OPEN): Row => ({
  title,
  request: () => ({}),
  command,
  expected,
});

/** A message under those modes; `but` has those who are refused for them. */
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

/** A slash command, which has both doors. */
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
  poll: { id: "", option: "" },
};

/** Of an act on one user. */
export const on =
  (who: "somebody" | "moderator" | "owner" | "staff", body?: object): Request =>
  (named) => ({ params: { user_id: named[who].id }, ...(body ? { body } : {}) });
