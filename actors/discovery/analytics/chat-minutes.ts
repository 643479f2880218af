/**
 * Counts chat messages of running broadcasts by minute, from the archive's index: so sending them costs nothing more, and a reader of a
 * long broadcast doesn't count all of them. A minute is counted once, when all of its messages have long been archived.
 */
import type { Clock } from "../../../base/clock.ts";
import { HOUR_MS, MINUTE_MS } from "../../../base/durations.ts";
import type { Streams } from "../../../store/mongo/channels/streams.ts";
import { minuteSumsIn } from "../../../store/mongo/discovery/minute-sums.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { type BroadcastDoc, broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import { CHAT_MINUTES, chatMinutesIn } from "../../../store/mongo/live/chat-minutes.ts";

/** How late a message may come into the archive and still be counted. */
const SETTLED_MS = 10 * MINUTE_MS;
/** Of one broadcast in one run, so that one that has long been running, as after an update, doesn't keep others waiting. */
const MOST_MS = HOUR_MS;
/** Broadcasts read at once. */
const BATCH = 100;

type Deps = { mongo: Mongo; streams: Pick<Streams, "shownLive">; clock: Clock };

export function createChatMinutes({ mongo, streams, clock }: Deps) {
  const broadcasts = broadcastsIn(mongo.db);
  const minutes = chatMinutesIn(mongo.db);
  const sums = minuteSumsIn(mongo.db);

  async function count(broadcast: BroadcastDoc, from: number, settled: number): Promise<void> {
    const until = Math.min(settled, from + MOST_MS);
    if (until <= from) return;
    const range = { from: new Date(from), until: new Date(until) };
    const found = await sums.messages(broadcast.streamId, range);
    const each = Array.from(
      { length: (until - from) / MINUTE_MS },
      (_, minute) => found.get(from + minute * MINUTE_MS) ?? 0,
    );
    await minutes.add(broadcast, range.from, each);
  }

  return {
    /**
     * Idempotent. One that can't be counted keeps no other from it: rejects with the first failure, after the others. Ends early once the
     * caller isn't sure any more to be the only one.
     */
    async count(isSure: () => boolean = () => true): Promise<void> {
      const settled = minuteOf(clock.now() - SETTLED_MS);
      const live = await streams.shownLive();
      const ids = live.flatMap(({ sessionId }) => sessionId ?? []);
      const failures: unknown[] = [];
      for (let i = 0; i < ids.length && isSure(); i += BATCH) {
        const some = ids.slice(i, i + BATCH);
        const [running, counted] = await Promise.all([broadcasts.findMany(some), minutes.countedUntil(some)]);
        for (const broadcast of running) {
          const begun = minuteOf(broadcast.startedAt.getTime());
          const from =
            counted.get(broadcast._id)?.getTime() ?? Math.max(begun, settled - CHAT_MINUTES * MINUTE_MS);
          await count(broadcast, from, settled).catch((err: unknown) => failures.push(err));
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS;
