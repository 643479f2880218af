import type { ClientSession, Db } from "mongodb";
import { batchedFinds } from "../driver/batched-finds.ts";
import { defineCollection } from "../driver/collection.ts";

/**
 * The publisher that is connected to a stream, as the live-stream actor has it; deleted when it has none. Signs of it are
 * written here, so that an update every few seconds is one write and no commit of the actor.
 */
export type PublisherDoc = {
  /** The stream's id. */
  _id: string;
  /** The RTMP server's id of its connection. */
  clientId: string;
  /** When its server last reported it as connected. */
  seenAt: Date;
  /** When it counts as lost without another update; null while its server has sent none. */
  leaseEndsAt: Date | null;
};

export const publishersCollection = defineCollection<PublisherDoc>("publishers", {
  personal: "none",

  indexes: [{ key: { leaseEndsAt: 1 }, partialFilterExpression: { leaseEndsAt: { $type: "date" } } }], // expired
});

/** `publisher` is null when none is connected any more. */
export type TrackedPublisher = { streamId: string; publisher: Omit<PublisherDoc, "_id"> | null };

export function publishersIn(db: Db) {
  const publishers = publishersCollection.in(db);
  const batchedFind = batchedFinds(db);
  return {
    find: (streamId: string) => publishers.findOne({ _id: streamId }),

    /** At most one entry per stream. */
    async track(changes: TrackedPublisher[], session: ClientSession): Promise<void> {
      const each = changes.map(({ streamId, publisher }) =>
        publisher === null
          ? { deleteOne: { filter: { _id: streamId } } }
          : { updateOne: { filter: { _id: streamId }, update: { $set: publisher }, upsert: true } },
      );
      if (each.length > 0) await publishers.bulkWrite(each, { session });
    },

    /** False when that connection isn't known as the stream's publisher. Of two updates the later one counts. */
    async renew({
      streamId,
      clientId,
      seenAt,
      leaseEndsAt,
    }: {
      streamId: string;
      clientId: string;
      seenAt: Date;
      leaseEndsAt: Date;
    }): Promise<boolean> {
      const { matchedCount } = await publishers.updateOne(
        { _id: streamId, clientId },
        { $max: { seenAt, leaseEndsAt } },
      );
      return matchedCount > 0;
    },

    /** Publishers whose lease has run out, the longest first. */
    expired: (now: Date, limit: number) =>
      batchedFind(
        publishers,
        { leaseEndsAt: { $type: "date", $lte: now } },
        { sort: { leaseEndsAt: 1 }, limit },
      ),

    /** Unless it was renewed, or another one is connected. */
    postpone: async ({ _id, clientId, leaseEndsAt }: PublisherDoc, until: Date) =>
      void (await publishers.updateOne({ _id, clientId, leaseEndsAt }, { $set: { leaseEndsAt: until } })),
    /** Unless it was renewed, or another one is connected. */
    remove: async ({ _id, clientId, leaseEndsAt }: PublisherDoc) =>
      void (await publishers.deleteOne({ _id, clientId, leaseEndsAt })),
  };
}
