import type { Clock } from "../../store/clock.ts";
import { growingPause } from "../../store/growing-pause.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type PublisherDropDoc, publisherDropsIn } from "../../store/mongo/publisher-drops.ts";
import type { MediaControl } from "./media-control.ts";

/** Of one sweep, all at once; more are left to the next. */
const BATCH = 50;
const pauseAfter = growingPause(1_000, 60_000);
/** About two hours; by then its server has been away for so long that the connection is gone. */
const MAX_FAILURES = 125;

type Deps = { mongo: Mongo; clock: Clock; log: Log; mediaControl: MediaControl };

export type PublisherDrops = ReturnType<typeof createPublisherDrops>;

/** Has publishers dropped whose broadcast was ended by a rotated key or a ban, until the RTMP server has been told. */
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
