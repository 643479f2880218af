import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import type { ChatMessage, UserEvents as UserEventData } from "../../../contract/wire.ts";
import type { UserEvents } from "../../../realtime/rooms/user-events.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import {
  type NotificationFact,
  notificationFactsIn,
} from "../../../store/mongo/notifications/notification-facts.ts";
import { createMentionLimits } from "./mention-limits.ts";
import { HAS_AT, namesIn } from "./mentioned-names.ts";

/** A posted message, and the user whose message it replies to. */
export type PostedMessage = { streamId: string; message: ChatMessage; repliedToId: string | null };

/** Messages per look-up, at most. */
const BATCH = 100;
/** How long messages are collected for one look-up. */
const GATHER_MS = 25;
/** With more waiting messages, mentions are dropped: 2.5 seconds of work at full rate. */
const MAX_WAITING = 10_000;
const MAX_CACHED = 10_000;
const TTL_MS = MINUTE_MS;

/** Notification lists show only the first mention per author and room in each period of this length. */
const LIST_PERIOD_MS = 600_000;

type NamingMessage = { posted: PostedMessage; names: readonly string[] };
type Known = { userId: string | null; until: number };
type Mention = { one: string; other: string; data: UserEventData["chat.mention"] };

function factOf({ one: authorId, other: userId, data }: Mention): NotificationFact {
  const { stream_id: streamId, message } = data;
  const at = new Date(message.created_at);
  const ref = `${streamId}:${authorId}:${Math.floor(+at / LIST_PERIOD_MS)}`;
  return { kind: "mention", ref, userId, at, data: { streamId, authorId } };
}

/**
 * Notifies users of messages that reply to or mention them, asynchronously: some milliseconds after the send, with one look-up
 * for many messages. Names are cached for a minute, unknown ones too. While the database is unavailable, mentions are lost.
 */
export function createMentions(deps: {
  mongo: Mongo;
  userEvents: Pick<UserEvents, "publish">;
  clock: Clock;
  log: Log;
}) {
  const { mongo, userEvents, clock, log } = deps;
  const limits = createMentionLimits(clock);
  const users = usersIn(mongo.db);
  const blocks = blocksIn(mongo.db);
  const facts = notificationFactsIn(mongo.db);
  const waiting: PostedMessage[] = [];
  const known = new Map<string, Known>();
  let working: Promise<void> | null = null;

  function remember(name: string, entry: Known): void {
    known.delete(name);
    known.set(name, entry);
    const [oldest] = known.keys();
    if (known.size > MAX_CACHED && oldest !== undefined) known.delete(oldest);
  }

  async function lookUp(names: Iterable<string>): Promise<void> {
    const now = performance.now();
    const unknown = [...new Set(names)].filter((name) => (known.get(name)?.until ?? 0) <= now);
    if (unknown.length === 0) return;
    const found = new Map((await users.idsByUsernames(unknown)).map(({ _id, username }) => [username, _id]));
    for (const name of unknown) remember(name, { userId: found.get(name) ?? null, until: now + TTL_MS });
  }

  function mentionsOf({ posted, names }: NamingMessage): Mention[] {
    const { streamId, message, repliedToId } = posted;
    const author = message.user_id;
    const targets = new Map<string, "reply" | "mention">();
    for (const name of names) {
      const userId = known.get(name)?.userId;
      if (userId) targets.set(userId, "mention");
    }
    if (repliedToId !== null) targets.set(repliedToId, "reply");
    targets.delete(author);
    return [...targets].map(([other, kind]) => ({
      one: author,
      other,
      data: { stream_id: streamId, message, kind },
    }));
  }

  async function notify(batch: readonly PostedMessage[]): Promise<void> {
    const naming = batch.map((posted) => ({ posted, names: namesIn(posted.message.content) }));
    await lookUp(naming.flatMap(({ names }) => names));
    const unblocked = await blocks.withoutBlocks(naming.flatMap(mentionsOf));
    const delivered = unblocked.filter(({ one, other }) => limits.take(one, other));
    const recipients = delivered.map(({ other: userId, data }) => ({ userId, data }));
    const [first] = batch;
    if (recipients.length === 0 || !first) return;
    const source = { ref: `mentions:${first.message.uuid}`, version: 0, n: 0 };
    await userEvents.publish("chat.mention", recipients, source);
    await facts.insert(delivered.map(factOf));
  }

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      await pause(GATHER_MS);
      const batch = waiting.splice(0, BATCH);
      try {
        await notify(batch);
      } catch (err) {
        log.warn({ err, messages: batch.length }, "mentions couldn't be notified");
      }
    }
    // In the same tick as the empty check, so that the next message starts a new run.
    working = null;
  }

  return {
    /** Call it once a message is in the log. Costs nothing for messages without a reply or an @. */
    note(posted: PostedMessage): void {
      if (posted.repliedToId === null && !HAS_AT.test(posted.message.content)) return;
      if (waiting.length >= MAX_WAITING) {
        log.debug({ streamId: posted.streamId }, "too many mentions: these aren't notified");
        return;
      }
      waiting.push(posted);
      working ??= work();
    },
    /** Resolves when all noted messages are handled. */
    idle: async (): Promise<void> => void (await working),
  };
}

export type Mentions = ReturnType<typeof createMentions>;
