import type { Db } from "mongodb";
import { hourOf, ROLLUP_LIFE_SECONDS } from "../channels/rollup-times.ts";
import { inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";

/** The minutes of an hour in which the viewers of all live channels were counted. `_id` is the hour's beginning, in milliseconds. */
type SampledMinutesDoc = { _id: string; hour: Date; minutes: number[] };

export const sampledMinutesCollection = defineCollection<SampledMinutesDoc>("sampled_minutes", {
  personal: "none",
  indexes: [{ key: { hour: 1 }, expireAfterSeconds: ROLLUP_LIFE_SECONDS }],
});

const idOf = (hour: Date): string => String(hour.getTime());

/** Tells minutes without viewers from minutes in which nobody counted: neither has a number in a channel's hours. */
export function sampledMinutesIn(db: Db) {
  const sampled = sampledMinutesCollection.in(db);
  return {
    async add(minute: Date): Promise<void> {
      const hour = hourOf(minute);
      const update = { $addToSet: { minutes: minute.getUTCMinutes() }, $setOnInsert: { hour } };
      await sampled.updateOne({ _id: idOf(hour) }, update, { upsert: true });
    },

    ofHours: (hours: readonly Date[]): Promise<SampledMinutesDoc[]> =>
      sampled.find({ _id: { $in: hours.map(idOf) } }, inOneReply(hours.length)).toArray(),
  };
}
