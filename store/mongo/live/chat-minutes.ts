/**
 * How many chat messages the minutes of a broadcast have, counted from the archive once they are over. What isn't counted yet is counted
 * by whoever reads it, so figures are the same whether or not jobs run.
 */
import type { Db } from "mongodb";
import { MINUTE_MS } from "../../../base/durations.ts";
import { isDuplicateKey } from "../../../base/failures/mongo.ts";
import { ROLLUP_LIFE_SECONDS } from "../channels/rollup-times.ts";
import { inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import type { BroadcastDoc } from "./broadcasts.ts";

/** `_id` is the broadcast. */
type ChatMinutesDoc = {
  _id: string;
  ownerId: string;
  /** One number a minute; the last is of the minute before `until`. */
  messages: number[];
  until: Date;
};

/** Of a longer broadcast, those of the last two days are kept: as many as a timeline shows. */
export const CHAT_MINUTES = 2 * 24 * 60;

export const chatMinutesCollection = defineCollection<ChatMinutesDoc>("chat_minutes", {
  personal: {
    erase: { ownerId: "delete" },
    exports: { nothing: "they are numbers of others" },
  },

  indexes: [
    { key: { ownerId: 1 } }, // erasure
    { key: { until: 1 }, expireAfterSeconds: ROLLUP_LIFE_SECONDS },
  ],
});

export function chatMinutesIn(db: Db) {
  const minutes = chatMinutesCollection.in(db);
  return {
    find: (broadcastId: string) => minutes.findOne({ _id: broadcastId }),

    /** By broadcast: up to where its messages are counted; those that aren't counted at all are left out. */
    async countedUntil(broadcastIds: string[]): Promise<Map<string, Date>> {
      const found = minutes.find({ _id: { $in: broadcastIds } }, inOneReply(broadcastIds.length));
      const docs = await found.project<Pick<ChatMinutesDoc, "_id" | "until">>({ until: 1 }).toArray();
      return new Map(docs.map(({ _id, until }) => [_id, until]));
    },

    /** Adds the minutes from there on. Nothing happens if another worker has added some meanwhile. */
    async add(
      { _id, ownerId }: Pick<BroadcastDoc, "_id" | "ownerId">,
      from: Date,
      messages: readonly number[],
    ): Promise<void> {
      const until = new Date(from.getTime() + messages.length * MINUTE_MS);
      try {
        await minutes.updateOne(
          { _id, until: from },
          {
            $push: { messages: { $each: [...messages], $slice: -CHAT_MINUTES } },
            $set: { until },
            $setOnInsert: { ownerId },
          },
          { upsert: true },
        );
      } catch (err) {
        // It is there, with another `until`.
        if (!isDuplicateKey(err)) throw err;
      }
    },
  };
}
