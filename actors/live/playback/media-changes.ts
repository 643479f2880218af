import type { Clock } from "../../../base/clock.ts";
import { HOUR_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import type { Streams } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import {
  type MediaChangeDoc,
  type MediaThing,
  mediaChangesIn,
} from "../../../store/mongo/host/media-changes.ts";
import { clipsIn } from "../../../store/mongo/live/clips.ts";
import { videosIn } from "../../../store/mongo/live/videos.ts";
import type { Directory } from "../../accounts/public.ts";
import type { OnAlert } from "../../hooks/metrics.ts";
import { exponentialBackoff } from "../../host/exponential-backoff.ts";
import { createFileVisibility } from "./file-visibility.ts";
import type { MediaService } from "./media-service.ts";

/** Changes per sweep, notified concurrently; more are left to the next. */
const BATCH = 20;
/** Rows per insert, of an account's clips and recordings. */
const EXPANDED_AT_ONCE = 500;
const pauseAfter = exponentialBackoff(1_000, HOUR_MS);
/** Failures after which each one alerts: about two minutes. It is never given up (store/mongo/host/media-changes.ts). */
const ALERT_AFTER_FAILURES = 8;

/** What the media service is notified of; an account's rows become rows of these. */
type Sent = { kind: Exclude<MediaChangeDoc["thing"]["kind"], "account">; id: string };

type Deps = {
  mongo: Mongo;
  streams: Pick<Streams, "find" | "findByUser" | "clearLiveThumbnail">;
  directory: Pick<Directory, "usersByIds">;
  clock: Clock;
  log: Log;
  onAlert: OnAlert;
  mediaService: MediaService | null;
};

export type MediaChanges = ReturnType<typeof createMediaChanges>;

/**
 * Notifies the media service of clips and recordings that were hidden, shown or removed, until it accepts that:
 * 1. the rows of one thing are read first, then the thing's present state;
 * 2. that state is sent, and after a 2xx these rows are deleted;
 * 3. a change that is committed meanwhile has a row of its own, so the newest state is always sent after it.
 * An account's rows first become rows of its things, which let a change of one thing go before them, and those of other
 * accounts in turns.
 */
export function createMediaChanges(deps: Deps) {
  const { mongo, streams, clock, log, onAlert, mediaService } = deps;
  const files = createFileVisibility(deps);
  const changes = mediaChangesIn(mongo.db);
  const clips = clipsIn(mongo.db);
  const videos = videosIn(mongo.db);
  const outage = createOutageLog(log, "media service: change of files");

  /** Repeated from its beginning after a failure or a crash; rows of one thing are one notification. */
  async function expand(userId: string, isSure: () => boolean): Promise<void> {
    let added = 0;
    const add = async (things: MediaThing[]) => {
      if (!isSure()) throw new Error("another process may be sweeping");
      await changes.addAll(things, added, new Date(clock.now()));
      added += things.length;
    };
    const stream = await streams.findByUser(userId);
    if (stream) await files.removePictures(stream);
    for (const [kind, ids] of [
      ["clip", clips.readyAround(userId)],
      ["recording", videos.recordingsOf(userId)],
    ] as const) {
      let things: MediaThing[] = [];
      for await (const id of ids) {
        things.push({ kind, id });
        if (things.length < EXPANDED_AT_ONCE) continue;
        await add(things);
        things = [];
      }
      await add(things);
    }
  }

  async function send(thing: Sent, newest: MediaChangeDoc, service: MediaService): Promise<void> {
    const { _id: hookId, createdAt } = newest;
    if (thing.kind === "stream") {
      const stream = await streams.find(thing.id);
      // The media service's clock may be ahead of ours: its own time of a picture that was removed is later then.
      const removedAt = stream?.thumbnailUrl === null ? stream.thumbnailAt : null;
      const takenUntil = removedAt && removedAt > createdAt ? removedAt : createdAt;
      return service.deletePictures({ streamId: thing.id, takenUntil, hookId });
    }
    const at = new Date(clock.now());
    const { kind, id } = thing;
    const visibility = await files.visibilityOf({ kind, id });
    await service.reportFiles({ thing: { kind, id }, visibility, hookId, at });
  }

  /** Does what the rows of one thing ask for, and removes them; if that fails, it is tried again, each time later. */
  async function attempt(
    thing: MediaChangeDoc["thing"],
    work: (newest: MediaChangeDoc) => Promise<void>,
  ): Promise<void> {
    const rows = await changes.ofThing(thing);
    const newest = rows.at(-1);
    if (!newest) return;
    try {
      await work(newest);
    } catch (err) {
      const failures = Math.max(...rows.map((row) => row.failures));
      outage.failed(err, { ...thing, attempts: failures + 1 });
      if (failures + 1 >= ALERT_AFTER_FAILURES) onAlert("media", "media_change_failing");
      return changes.postpone(thing, new Date(clock.now() + pauseAfter(failures)));
    }
    if (thing.kind !== "account") outage.succeeded();
    await changes.remove(rows.map(({ _id }) => _id));
  }

  return {
    /** `isSure`: false when another process may be sweeping. */
    async sweep(isSure: () => boolean): Promise<void> {
      if (!mediaService || !isSure()) return;
      const due = await changes.due(new Date(clock.now()), BATCH);
      await Promise.all(
        due.map(({ kind, id }) =>
          attempt({ kind, id }, (newest) =>
            kind === "account" ? expand(id, isSure) : send({ kind, id }, newest, mediaService),
          ),
        ),
      );
    },
  };
}
