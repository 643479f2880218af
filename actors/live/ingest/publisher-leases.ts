import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { type PublisherDoc, publishersIn } from "../../../store/mongo/live/publishers.ts";
import type { Broadcasts } from "../live-stream/broadcasts.ts";
import { leaseFrom } from "../live-stream/publisher-lease.ts";

/** Publishers per sweep, all concurrent; more are left to the next. */
const BATCH = 50;

type Deps = {
  mongo: Mongo;
  clock: Clock;
  log: Log;
  broadcasts: Pick<Broadcasts, "publisherSeen" | "publisherLost">;
};

export type PublisherLeases = ReturnType<typeof createPublisherLeases>;

/** Leases of connected publishers: an RTMP server renews them by its updates, and a publisher without one is lost. */
export function createPublisherLeases({ mongo, clock, log, broadcasts }: Deps) {
  const publishers = publishersIn(mongo.db);

  async function lose(publisher: PublisherDoc): Promise<void> {
    const { _id: streamId, clientId } = publisher;
    try {
      const outcome = await broadcasts.publisherLost(streamId, clientId);
      if (outcome === "lost")
        log.info({ streamId, clientId }, "publisher lost: no update from its RTMP server");
      // One that is connected keeps its row, also if only the clock was set back: without it, its loss wouldn't be noticed.
      if (outcome === "unknown") await publishers.remove(publisher);
    } catch (err) {
      log.warn({ err, streamId, clientId }, "publisher not ended: retried after another lease");
      // So that one that always fails doesn't hold up the others.
      await publishers.postpone(publisher, leaseFrom(new Date(clock.now())));
    }
  }

  return {
    /** False when that connection isn't the stream's publisher. */
    async renew(streamId: string, clientId: string): Promise<boolean> {
      const seenAt = new Date(clock.now());
      const isKnown = await publishers.renew({ streamId, clientId, seenAt, leaseEndsAt: leaseFrom(seenAt) });
      return isKnown || broadcasts.publisherSeen(streamId, clientId);
    },

    async sweep(): Promise<void> {
      await Promise.all((await publishers.expired(new Date(clock.now()), BATCH)).map(lose));
    },
  };
}
