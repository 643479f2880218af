/**
 * Samples viewership once a minute: each live channel's number of viewers, and a sketch of the distinct ones. A sample overwrites
 * the minute's figures, so it is idempotent; a minute that was sampled is done for all workers.
 */

import { createHmac } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import { HOUR_MS, MINUTE_MS } from "../../../base/durations.ts";
import { nullIfUnavailable } from "../../../base/failures/unavailable.ts";
import type { Recorded } from "../../../base/metrics.ts";
import { openSketch } from "../../../base/viewer-sketch.ts";
import type { Presence } from "../../../realtime/rooms/presence.ts";
import { touchActivity } from "../../../store/mongo/channels/activity-marks.ts";
import { hourOf } from "../../../store/mongo/channels/rollup-times.ts";
import type { Streams } from "../../../store/mongo/channels/streams.ts";
import { sampledMinutesIn } from "../../../store/mongo/discovery/sampled-minutes.ts";
import { viewershipHoursIn } from "../../../store/mongo/discovery/viewership-hours.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { jobCursorsIn } from "../../../store/mongo/driver/job-cursors.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { deriveKey, type MasterKey } from "../../keys/sealing.ts";
import type { ANALYTICS_METRICS } from "./metrics.ts";

/** Channels per batch of reads and writes. */
const BATCH = 100;
/** Viewership is unknown when the last sample is older than this. */
const STALE_AFTER_MS = 5 * MINUTE_MS;

type Deps = {
  mongo: Mongo;
  streams: Pick<Streams, "liveChannels">;
  presence: Pick<Presence, "countEach" | "present">;
  masterKey: MasterKey;
  clock: Clock;
  metrics: Recorded<typeof ANALYTICS_METRICS>;
};

type Channel = { streamId: string; userId: string };
/** `isWhole` is false when some channels couldn't be counted; absent in documents of older releases. */
type Looked = { minute: Date; isWhole?: boolean };
type Watched = { channelUserId: string; hashes: Set<number> };

export function createViewership({ mongo, streams, presence, masterKey, clock, metrics }: Deps) {
  const hours = viewershipHoursIn(mongo.db);
  const sampled = sampledMinutesIn(mongo.db);
  const done = jobCursorsIn<Looked>(mongo.db, "viewership");
  const key = deriveKey(masterKey, "viewer-sketches");

  const hashOf = (member: string) => createHmac("sha256", key).update(member).digest().readUInt32BE(0);

  async function viewersOf(streamId: string): Promise<Set<number>> {
    const hashes = new Set<number>();
    for await (const members of presence.present(streamId))
      for (const one of members) hashes.add(hashOf(one));
    return hashes;
  }

  /** Samples these channels; returns how many couldn't be counted. */
  async function look(channels: readonly Channel[], minute: Date): Promise<number> {
    const ids = channels.map(({ streamId }) => streamId);
    const counts = (await nullIfUnavailable(() => presence.countEach(ids))) ?? new Map<string, number>();
    const watched: Watched[] = [];
    for (const { streamId, userId } of channels) {
      if ((counts.get(streamId) ?? 0) === 0) continue;
      watched.push({ channelUserId: userId, hashes: await viewersOf(streamId) });
    }
    if (watched.length > 0) await keep(watched, minute);
    metrics.looks(counts.size);
    return channels.length - counts.size;
  }

  /** A sketch only grows. If two workers sample concurrently, one transaction is retried on top of what the other has stored. */
  async function keep(watched: readonly Watched[], minute: Date): Promise<void> {
    const hour = hourOf(minute);
    const ids = watched.map(({ channelUserId }) => channelUserId);
    await inTransaction(mongo.client, async (session) => {
      const before = await hours.ofChannels(ids, hour, session);
      await touchActivity(
        mongo.db,
        ids.map((channelUserId) => ({ channelUserId, at: hour })),
      );
      const looks = watched.map(({ channelUserId, hashes }) => {
        const sketch = openSketch(before.get(channelUserId)?.viewers.value() ?? null);
        for (const hash of hashes) sketch.add(hash);
        return { channelUserId, count: hashes.size, viewers: sketch.bytes() };
      });
      const at = { hour, minute: Math.floor((minute.getTime() % HOUR_MS) / MINUTE_MS) };
      await hours.keep(at, looks, session);
    });
  }

  return {
    /**
     * Samples all live channels, unless this minute is done. Rejects when some couldn't be counted, after the others have been sampled;
     * retrying is safe.
     */
    async look(): Promise<void> {
      const minute = new Date(Math.floor(clock.now() / MINUTE_MS) * MINUTE_MS);
      const last = await done.find();
      // A later minute was sampled by a worker whose clock was ahead; that says nothing about this minute.
      if (last?.minute.getTime() === minute.getTime() && last.isWhole !== false) return;
      const live = await streams.liveChannels();
      let uncounted = 0;
      for (let i = 0; i < live.length; i += BATCH) uncounted += await look(live.slice(i, i + BATCH), minute);
      const isWhole = uncounted === 0;
      if (isWhole) await sampled.add(minute);
      if (isWhole || uncounted < live.length) await done.keep({ minute, isWhole }, new Date(clock.now()));
      if (!isWhole) throw new Error(`the viewers of ${uncounted} live channels could not be counted`);
    },

    /** Whether the last sample is recent enough. */
    async isKnown(): Promise<boolean> {
      const last = await done.find();
      return last !== null && clock.now() - last.minute.getTime() < STALE_AFTER_MS;
    },
  };
}
