import type { Clock } from "../../store/clock.ts";
import { MINUTE_MS } from "../../store/durations.ts";
import { exponentialBackoff } from "../../store/exponential-backoff.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type PublisherDropDoc, publisherDropsIn } from "../../store/mongo/publisher-drops.ts";
import type { MediaControl } from "./media-control.ts";

/** Drops per sweep, all concurrent; more are left to the next. */
const BATCH = 50;
const pauseAfter = exponentialBackoff(1_000, MINUTE_MS);
/** With the back-off between them, tries span about two hours; a server away for so long has lost the connection, too. */
const MAX_FAILURES = 125;

type Deps = { mongo: Mongo; clock: Clock; log: Log; mediaControl: MediaControl };

export type PublisherDrops = ReturnType<typeof createPublisherDrops>;

/** Drops publishers whose broadcast was ended by a rotated key or a ban; retries until the RTMP server accepts it. */
export function createPublisherDrops({ mongo, clock, log, mediaControl }: Deps) {
  const drops = publisherDropsIn(mongo.db);

  async function drop({ _id, streamId, clientId, failures }: PublisherDropDoc): Promise<void> {
    try {
      await mediaControl.dropPublisher({ streamId, clientId });
    } catch (err) {
      const isOver = failures + 1 >= MAX_FAILURES;
      const about = { err, streamId, clientId, failures: failures + 1 };
      if (!isOver) {
        log.warn(about, "a publisher wasn't dropped yet; it is tried again");
        return drops.later(_id, new Date(clock.now() + pauseAfter(failures)));
      }
      log.error(about, "a publisher wasn't dropped, and isn't tried any more");
    }
    await drops.done(_id);
  }

  return {
    async sweep(): Promise<void> {
      await Promise.all((await drops.due(new Date(clock.now()), BATCH)).map(drop));
    },
  };
}
