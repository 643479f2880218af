import type { ClientSession, Db } from "mongodb";
import { newId } from "../../../base/ids.ts";
import { batchedFinds } from "../driver/batched-finds.ts";
import { defineCollection } from "../driver/collection.ts";

/** A publisher that the RTMP server has to drop: written with its cause, deleted when the server has confirmed it, or given up. */
export type PublisherDropDoc = {
  _id: string;
  streamId: string;
  /** The RTMP server's id of its connection. */
  clientId: string;
  createdAt: Date;
  dueAt: Date;
  failures: number;
};

export const publisherDropsCollection = defineCollection<PublisherDropDoc>("publisher_drops", {
  personal: "none",

  indexes: [{ key: { dueAt: 1 } }], // due
});

export function publisherDropsIn(db: Db) {
  const drops = publisherDropsCollection.in(db);
  const batchedFind = batchedFinds(db);
  return {
    async insert(
      publishers: { streamId: string; clientId: string; at: Date }[],
      session: ClientSession,
    ): Promise<void> {
      const docs = publishers.map(({ at, ...publisher }) => ({
        _id: newId(),
        ...publisher,
        createdAt: at,
        dueAt: at,
        failures: 0,
      }));
      if (docs.length > 0) await drops.insertMany(docs, { session });
    },
    due: (now: Date, limit: number) =>
      batchedFind(drops, { dueAt: { $lte: now } }, { sort: { dueAt: 1 }, limit }),
    done: async (id: string) => void (await drops.deleteOne({ _id: id })),
    later: async (id: string, dueAt: Date) =>
      void (await drops.updateOne({ _id: id }, { $set: { dueAt }, $inc: { failures: 1 } })),
  };
}
