import { setTimeout as pause } from "node:timers/promises";
import type { UserEvents } from "../../realtime/rooms/user-events.ts";
import type { ChatMessage, UserEvents as UserEventData } from "../../specs/contract/wire.ts";
import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import { blocksIn } from "../../store/mongo/blocks.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type NotificationFact, notificationFactsIn } from "../../store/mongo/notification-facts.ts";
import { usersIn } from "../../store/mongo/users.ts";
import { createMentionLimits } from "./mention-limits.ts";

/** A message that a room has, and whose message it answers. */
export type Said = { streamId: string; message: ChatMessage; repliedToId: string | null };

const MOST_NAMES = 10;
/** Of one look-up; messages come together for so long. */
const MAX_AT_ONCE = 100;
const GATHER_MS = 25;
/** Past it mentions aren't told: two seconds and a half of the most that is looked up. */
const MAX_WAITING = 10_000;
const MAX_KNOWN = 10_000;
const KNOWN_MS = 60_000;

/** A name stands for itself: what follows a letter or a digit is part of an address. */
const NAMED = /(?<![A-Za-z0-9_.@-])@([A-Za-z0-9][A-Za-z0-9_]{2,24})(?![A-Za-z0-9_])/g;

/** Lists of notifications tell the first mention of so long by the same author in the same room. */
const LISTED_EVERY_MS = 600_000;

type Known = { userId: string | null; until: number };
type Mention = { one: string; other: string; data: UserEventData["chat.mention"] };

/** Names that a text speaks to, in lower case: the first ten. */
export function namesIn(content: string): string[] {
  const names = new Set<string>();
  for (const [, name = ""] of content.matchAll(NAMED)) {
    names.add(name.toLowerCase());
    if (names.size === MOST_NAMES) break;
  }
  return [...names];
}

function factOf({ one: authorId, other: userId, data }: Mention): NotificationFact {
  const { stream_id: streamId, message } = data;
  const at = new Date(message.created_at);
  const ref = `${streamId}:${authorId}:${Math.floor(+at / LISTED_EVERY_MS)}`;
  return { kind: "mention", ref, userId, at, data: { streamId, authorId } };
}

/**
 * Tells users of messages that answer or name them, apart from the send itself: some milliseconds later, many messages by one
 * look-up. Who is behind a name is remembered for a minute, nobody too. While the database is away mentions are lost.
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
  const waiting: Said[] = [];
  const known = new Map<string, Known>();
  let working: Promise<void> | null = null;

  function remember(name: string, entry: Known): void {
    known.delete(name);
    known.set(name, entry);
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  async function lookUp(names: Iterable<string>): Promise<void> {
    const now = performance.now();
    const unknown = [...new Set(names)].filter((name) => (known.get(name)?.until ?? 0) <= now);
    if (unknown.length === 0) return;
    const found = new Map((await users.idsByUsernames(unknown)).map(({ _id, username }) => [username, _id]));
    for (const name of unknown) remember(name, { userId: found.get(name) ?? null, until: now + KNOWN_MS });
  }

  function mentionsOf({ streamId, message, repliedToId }: Said): Mention[] {
    const author = message.user_id;
    const targets = new Map<string, "reply" | "mention">();
    for (const name of namesIn(message.content)) {
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

  async function tell(batch: readonly Said[]): Promise<void> {
    await lookUp(batch.flatMap(({ message }) => namesIn(message.content)));
    const unblocked = await blocks.withoutBlocks(batch.flatMap(mentionsOf));
    const heard = unblocked.filter(({ one, other }) => limits.take(one, other));
    const recipients = heard.map(({ other: userId, data }) => ({ userId, data }));
    const [first] = batch;
    if (recipients.length === 0 || !first) return;
    const source = { ref: `mentions:${first.message.uuid}`, version: 0, n: 0 };
    await userEvents.publish("chat.mention", recipients, source);
    await facts.insert(heard.map(factOf));
  }

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      await pause(GATHER_MS);
      const batch = waiting.splice(0, MAX_AT_ONCE);
      try {
        await tell(batch);
      } catch (err) {
        log.warn({ err, messages: batch.length }, "those who were named in messages weren't told");
      }
    }
    // In the turn in which nothing was left, so that what comes next begins anew.
    working = null;
  }

  return {
    /** Call it once a message has its place in the log. Costs nothing where nobody is answered or named. */
    note(said: Said): void {
      if (said.repliedToId === null && !said.message.content.includes("@")) return;
      if (waiting.length >= MAX_WAITING) {
        log.debug({ streamId: said.streamId }, "too many messages name somebody: these aren't told");
        return;
      }
      waiting.push(said);
      working ??= work();
    },
    /** All that was noted has been told. */
    idle: async (): Promise<void> => void (await working),
  };
}

export type Mentions = ReturnType<typeof createMentions>;
