import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { type PublisherDropDoc, publisherDropsIn } from "../../../store/mongo/live/publisher-drops.ts";
import { publishersIn } from "../../../store/mongo/live/publishers.ts";
import { exponentialBackoff } from "../../host/exponential-backoff.ts";
import type { MediaControl } from "./media-control.ts";

/** Drops per sweep, all concurrent; more are left to the next. */
const BATCH = 50;
const pauseAfter = exponentialBackoff(1_000, MINUTE_MS);
/** With the back-off between them, tries span about two hours; a server away for so long has lost the connection, too. */
const MAX_FAILURES = 125;

type Deps = { mongo: Mongo; clock: Clock; log: Log; mediaControl: MediaControl };

export type PublisherDrops = ReturnType<typeof createPublisherDrops>;

/** Drops publishers whose broadcast was ended, or that another one replaced; retries until the RTMP server accepts it. */
export function createPublisherDrops({ mongo, clock, log, mediaControl }: Deps) {
  const drops = publisherDropsIn(mongo.db);
  const publishers = publishersIn(mongo.db);
  const outage = createOutageLog(log, "rtmp server: publisher drop");

  async function drop({ _id, streamId, clientId, failures }: PublisherDropDoc): Promise<void> {
    try {
      const connected = await publishers.find(streamId);
      // A server that was started again counts its connections from the beginning: this is a new one, the dropped one is gone.
      if (connected?.clientId === clientId) return await drops.done(_id);
      await mediaControl.dropPublisher({ streamId, clientId });
      outage.succeeded();
    } catch (err) {
      const isOver = failures + 1 >= MAX_FAILURES;
      const about = { streamId, clientId, attempts: failures + 1 };
      if (!isOver) {
        outage.failed(err, about);
        return drops.later(_id, new Date(clock.now() + pauseAfter(failures)));
      }
      log.error({ err, ...about }, "a publisher wasn't dropped, and isn't tried any more");
    }
    await drops.done(_id);
  }

  return {
    async sweep(): Promise<void> {
      await Promise.all((await drops.due(new Date(clock.now()), BATCH)).map(drop));
    },
  };
}
