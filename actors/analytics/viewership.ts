/**
 * Who watches, once a minute: how many viewers each live channel has, and a sketch of who they are. A look puts the minute's
 * figures, so that it may be repeated; a minute that was looked at is done, for every worker.
 */
import { createHmac } from "node:crypto";
import type { Presence } from "../../realtime/rooms/presence.ts";
import type { Clock } from "../../store/clock.ts";
import { nullIfUnavailable } from "../../store/failures/unavailable.ts";
import type { Recorded } from "../../store/metrics.ts";
import { touchActivity } from "../../store/mongo/activity-marks.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { jobCursorsIn } from "../../store/mongo/job-cursors.ts";
import { HOUR_MS, hourOf } from "../../store/mongo/rollup-times.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { viewershipHoursIn } from "../../store/mongo/viewership-hours.ts";
import { openSketch } from "../../store/viewer-sketch.ts";
import { deriveKey, type MasterKey } from "../identity/sealing.ts";
import type { ANALYTICS_METRICS } from "./metrics.ts";

const MINUTE_MS = 60_000;
/** Channels that are looked at, and written, at once. */
const AT_ONCE = 100;
/** Without a look for so long, viewership isn't known. */
const LATE_MS = 5 * MINUTE_MS;

type Deps = {
  mongo: Mongo;
  streams: Pick<Streams, "liveChannels">;
  presence: Pick<Presence, "countEach" | "present">;
  masterKey: MasterKey;
  clock: Clock;
  metrics: Recorded<typeof ANALYTICS_METRICS>;
};

type Channel = { streamId: string; userId: string };
/** `isWhole` is false when some couldn't be counted; absent in releases of before. */
type Looked = { minute: Date; isWhole?: boolean };
type Watched = { channelUserId: string; hashes: Set<number> };

export function createViewership({ mongo, streams, presence, masterKey, clock, metrics }: Deps) {
  const hours = viewershipHoursIn(mongo.db);
  const done = jobCursorsIn<Looked>(mongo.db, "viewership");
  const key = deriveKey(masterKey, "viewer-sketches");

  const hashOf = (member: string) => createHmac("sha256", key).update(member).digest().readUInt32BE(0);

  async function viewersOf(streamId: string): Promise<Set<number>> {
    const hashes = new Set<number>();
    for await (const members of presence.present(streamId))
      for (const one of members) hashes.add(hashOf(one));
    return hashes;
  }

  /** How many of them can't be counted now. */
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

  /** A sketch only grows; of two workers that look at once, one begins anew from what the other has kept. */
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
     * Looks at all live channels, unless this minute is done. Fails when some can't be counted, and may be repeated: until then
     * the others have been looked at.
     */
    async look(): Promise<void> {
      const minute = new Date(Math.floor(clock.now() / MINUTE_MS) * MINUTE_MS);
      const last = await done.find();
      // A later one was looked at by a clock that was ahead: it says nothing of this one.
      if (last?.minute.getTime() === minute.getTime() && last.isWhole !== false) return;
      const live = await streams.liveChannels();
      let uncounted = 0;
      for (let i = 0; i < live.length; i += AT_ONCE)
        uncounted += await look(live.slice(i, i + AT_ONCE), minute);
      const isWhole = uncounted === 0;
      if (isWhole || uncounted < live.length) await done.keep({ minute, isWhole }, new Date(clock.now()));
      if (!isWhole) throw new Error(`the viewers of ${uncounted} live channels could not be counted`);
    },

    /** Whether there was a look lately. */
    async isKnown(): Promise<boolean> {
      const last = await done.find();
      return last !== null && clock.now() - last.minute.getTime() < LATE_MS;
    },
  };
}
