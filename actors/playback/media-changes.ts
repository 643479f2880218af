import type { Clock } from "../../store/clock.ts";
import { HOUR_MS } from "../../store/durations.ts";
import { exponentialBackoff } from "../../store/exponential-backoff.ts";
import type { Log } from "../../store/log.ts";
import { clipsIn } from "../../store/mongo/clips.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type MediaThing, mediaChangesIn } from "../../store/mongo/media-changes.ts";
import { videosIn } from "../../store/mongo/videos.ts";
import type { FilesState, MediaService } from "../clips/media-service.ts";
import type { OnAlert } from "../hooks/metrics.ts";

/** Changes per sweep, notified concurrently; more are left to the next. */
const BATCH = 20;
const pauseAfter = exponentialBackoff(1_000, HOUR_MS);
/** Failures after which each one alerts: about two minutes. It is never given up (store/mongo/media-changes.ts). */
const ALERT_AFTER_FAILURES = 8;

type Deps = { mongo: Mongo; clock: Clock; log: Log; onAlert: OnAlert; mediaService: MediaService | null };

export type MediaChanges = ReturnType<typeof createMediaChanges>;

/**
 * Notifies the media service of clips and recordings that were hidden, shown or removed, until it accepts that:
 * 1. the rows of one thing are read first, then the thing's present state;
 * 2. that state is sent, and after a 2xx these rows are deleted;
 * 3. a change that is committed meanwhile has a row of its own, so the newest state is always sent after it.
 */
export function createMediaChanges({ mongo, clock, log, onAlert, mediaService }: Deps) {
  const changes = mediaChangesIn(mongo.db);
  const clips = clipsIn(mongo.db);
  const videos = videosIn(mongo.db);

  async function visibilityOf({ kind, id }: MediaThing): Promise<FilesState["visibility"]> {
    const found = kind === "clip" ? await clips.find(id) : await videos.ofRecording(id);
    return found?.visibility ?? null;
  }

  async function notify(thing: MediaThing, service: MediaService): Promise<void> {
    const rows = await changes.ofThing(thing);
    const newest = rows.at(-1);
    if (!newest) return;
    const ids = rows.map(({ _id }) => _id);
    const at = new Date(clock.now());
    try {
      const visibility = await visibilityOf(thing);
      await service.reportFiles({ thing, visibility, hookId: newest._id, at });
    } catch (err) {
      const failures = Math.max(...rows.map((row) => row.failures));
      const level = failures + 1 >= ALERT_AFTER_FAILURES ? "error" : "warn";
      log[level]({ err, ...thing, failures: failures + 1 }, "media service: change of files not accepted");
      if (level === "error") onAlert("media", "media_change_failing");
      return changes.postpone(ids, new Date(clock.now() + pauseAfter(failures)));
    }
    await changes.remove(ids);
  }

  return {
    /** `isSure`: false when another process may be sweeping. */
    async sweep(isSure: () => boolean): Promise<void> {
      if (!mediaService || !isSure()) return;
      const due = await changes.due(new Date(clock.now()), BATCH);
      const things = new Map(due.map(({ thing }) => [`${thing.kind}:${thing.id}`, thing]));
      await Promise.all([...things.values()].map((thing) => notify(thing, mediaService)));
    },
  };
}
