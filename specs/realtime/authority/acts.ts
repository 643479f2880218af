import type { Person } from "../../support/given-channels.ts";
import type { Room } from "./room.ts";
import type { SendingSocket } from "./sending-socket.ts";

/** An act that takes away a person's right to write, and how the affected sockets learn of it. */
export type Act = {
  name: string;
  /** Resolves with the answer; throws when it isn't a success. */
  run(room: Room, victim: Person): Promise<unknown>;
  /** The room event that announces it; null when only the victim's own sockets are notified. */
  event: string | null;
  /** When one of the victim's sockets learned of it, ms; null while it hasn't. */
  noticedAt(socket: SendingSocket): number | null;
  /** Codes by which messages are refused from then on. */
  refusals: readonly string[];
};

const closed = (socket: SendingSocket) => (socket.wire.closing?.code === 4009 ? socket.closedAt : null);

/** When a socket received the first message of a type. */
const first = (type: string) => (socket: SendingSocket) => socket.ofType(type)[0]?.at ?? null;

/** Refusals of a demoted moderator, whose rate limits are now those of everybody. */
const LIMITS = ["slow_mode", "rate_limited"];

export const ACTS: readonly Act[] = [
  {
    name: "ban",
    run: ({ owner, at }, { id }) => owner.api.ok("banUser", { params: { ...at, user_id: id }, body: {} }),
    event: "chat.user_banned",
    noticedAt: first("room.standing"),
    refusals: ["banned"],
  },
  {
    name: "timeout",
    run: ({ owner, at }, { id }) =>
      owner.api.ok("timeoutUser", { params: { ...at, user_id: id }, body: { duration_seconds: 600 } }),
    event: "chat.user_timed_out",
    noticedAt: first("room.standing"),
    refusals: ["timed_out"],
  },
  {
    name: "mode change",
    run: ({ owner, at }) => owner.api.ok("updateChatSettings", { params: at, body: { chat_enabled: false } }),
    event: "chat.modes",
    noticedAt: first("chat.modes"),
    refusals: ["chat_disabled"],
  },
  {
    name: "log-out",
    run: (_room, { api }) => succeed(api.call("logout")),
    event: null,
    noticedAt: closed,
    refusals: ["invalid_token"],
  },
  {
    name: "session removal",
    async run(_room, { api }) {
      const { items } = await api.ok("listSessions");
      const session_id = items.find(({ is_current }) => is_current)?.id ?? "";
      await succeed(api.call("endSession", { params: { session_id } }));
    },
    event: null,
    noticedAt: closed,
    refusals: ["invalid_token"],
  },
  {
    name: "demotion",
    run: ({ owner, at }, { id }) =>
      succeed(owner.api.call("removeModerator", { params: { ...at, user_id: id } })),
    event: null,
    noticedAt: first("room.standing"),
    refusals: LIMITS,
  },
];

async function succeed(answer: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`it was answered ${status} ${JSON.stringify(body)}`);
}
