import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "../../base/log.ts";
import type { Position } from "../../base/room-position.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { serverRuns } from "../../store/redis/server-run.ts";
import { createPubSub } from "./pubsub.ts";
import {
  appendUserEvent,
  openUserLog,
  readUserLog,
  type UserEventDraft,
  type UserLogReply,
} from "./scripts/user-log.ts";
import { textHash } from "./text.ts";

type Recipient = { userId: string; data: unknown };

/** A user's log has moved to `at`; without `event` only the position is known. */
export type UserLogEntry = { userId: string; at: Position; event: { type: string; data: unknown } | null };

/** The event's position in the order of its source, by which repeats are dropped. */
type UserEventSource = { ref: string; version: number; n: number };

type At = { userId: string } & Position;

/** One event for many users, each with their own data, as it is published; `known`: users whose logs had it already. */
type UserEventBatch = { type: string; to: (At & { data: unknown })[]; known: At[] };

/** A payout concerns a thousand users at once; every worker reads every message, so few large messages cost least. */
const RECIPIENTS_A_MESSAGE = 200;

/** How long a change waits for earlier versions that another source publishes. */
const ORDER_MS = 100;

/**
 * Each user's own events: a log of the last 200, kept for seven days after the last one; all workers are notified of what is
 * appended. Changes of one balance are appended in the order of their versions; one that comes after a newer one is dropped.
 */
export function createUserEvents({ redis, log }: { redis: RedisConnection; log: Log }) {
  const runs = serverRuns(redis);
  const events = createPubSub<UserEventBatch>({ redis, log, channel: keys.userEvents, read });

  const append = async (draft: UserEventDraft, pastGap: boolean) =>
    appendUserEvent(await runs.current(keys.userHead(draft.userId)), draft, { pastGap });

  /** As one pipeline; those that come too early are retried once, after a pause. */
  async function appendAll(drafts: UserEventDraft[]): Promise<UserLogReply[]> {
    const replies = await Promise.all(drafts.map((draft) => append(draft, false)));
    if (!replies.some(({ kind }) => kind === "early")) return replies;
    await pause(ORDER_MS);
    return Promise.all(
      replies.map((reply, i) => {
        const draft = drafts[i];
        return reply.kind === "early" && draft ? append(draft, true) : reply;
      }),
    );
  }

  return {
    /** Throws unavailable; then some may have it. A repeat is appended nowhere again, but published again. */
    async publish(type: string, recipients: readonly Recipient[], source: UserEventSource): Promise<void> {
      for (let from = 0; from < recipients.length; from += RECIPIENTS_A_MESSAGE) {
        const some = recipients.slice(from, from + RECIPIENTS_A_MESSAGE);
        const replies = await appendAll(
          some.map(({ userId, data }, i) => ({
            userId,
            type,
            data: JSON.stringify(data),
            version: versionOf(type, data),
            source: textHash(`${source.ref} ${source.version} ${source.n} ${from + i}`),
          })),
        );
        const batch: UserEventBatch = { type, to: [], known: [] };
        for (const [i, { userId, data }] of some.entries()) {
          const reply = replies[i];
          if (!reply || reply.kind === "early") throw new Error("an event past a gap is appended");
          const at = { userId, ...reply.position };
          if (reply.kind === "appended") batch.to.push({ ...at, data });
          else batch.known.push(at);
        }
        await events.publish(batch);
      }
    },
    /** Returns a function that unsubscribes. Waits while Redis is unavailable. `resumed`: messages may have been missed. */
    subscribe: (handler: (news: UserLogEntry) => void, resumed: () => void) =>
      events.subscribe(({ type, to, known }) => {
        for (const { userId, epoch, seq, data } of to)
          handler({ userId, at: { epoch, seq }, event: { type, data } });
        for (const { userId, epoch, seq } of known) handler({ userId, at: { epoch, seq }, event: null });
      }, resumed),
    /** The head of a user's log; creates the log if there is none. Throws unavailable. */
    position: async (userId: string): Promise<Position> =>
      openUserLog(await runs.current(keys.userHead(userId)), userId),
    /** A user's events after a position; null without a log. Throws unavailable. */
    since: (userId: string, after: Position, options: { onlyContinued: boolean }) =>
      readUserLog(redis, userId, after, options),
    async close(): Promise<void> {
      runs.close();
      await events.close();
    },
  };
}

export type UserEvents = ReturnType<typeof createUserEvents>;

/** The version of a balance; null for other events. */
function versionOf(type: string, data: unknown): UserEventDraft["version"] {
  if (type !== "points.changed" || typeof data !== "object" || data === null) return null;
  if (!("version" in data) || !("channel_user_id" in data)) return null;
  const { version, channel_user_id: of } = data;
  return typeof version === "number" && typeof of === "string" ? { of, number: version } : null;
}

function read(value: unknown): UserEventBatch | null {
  if (typeof value !== "object" || value === null || !("type" in value)) return null;
  if (!("to" in value) || !("known" in value)) return null;
  const { type, to, known } = value;
  if (typeof type !== "string" || !Array.isArray(to) || !Array.isArray(known)) return null;
  return to.every((one) => isAt(one) && "data" in one) && known.every(isAt) ? { type, to, known } : null;
}

function isAt(value: unknown): value is At {
  if (typeof value !== "object" || value === null) return false;
  if (!("userId" in value) || !("epoch" in value) || !("seq" in value)) return false;
  const { userId, epoch, seq } = value;
  return typeof userId === "string" && typeof epoch === "number" && typeof seq === "number";
}
