import { Binary, type ClientSession, type Db } from "mongodb";
import { byIds, inOneReply } from "./bulk.ts";
import { defineCollection } from "./collection.ts";
import { ROLLUP_LIFE_SECONDS } from "./rollup-times.ts";

/** The viewers of a channel in an hour, as each minute's look found them; `_id` is "channel:hour". */
export type ViewershipHourDoc = {
  _id: string;
  channelUserId: string;
  hour: Date;
  /** How many were there, by the minute of the hour; without those in which nobody was, or nobody looked. */
  minutes: Record<string, number>;
  /** Who they were, as a sketch of keyed hashes: it leads to nobody. */
  viewers: Binary;
};

/** A look at one channel; `viewers` are those of the whole hour so far. */
export type MinuteLook = { channelUserId: string; count: number; viewers: Uint8Array };

export const viewershipHoursCollection = defineCollection<ViewershipHourDoc>("viewership_hours", {
  personal: {
    erase: { channelUserId: "delete", _id: { with: "channelUserId" } },
    exports: { nothing: "they are numbers of others" },
  },

  indexes: [
    { key: { channelUserId: 1, hour: 1 } }, // ofHours
    { key: { hour: 1 }, expireAfterSeconds: ROLLUP_LIFE_SECONDS },
  ],
});

const idOf = (channelUserId: string, hour: Date) => `${channelUserId}:${hour.getTime()}`;

export function viewershipHoursIn(db: Db) {
  const hours = viewershipHoursCollection.in(db);
  return {
    /** By channel. */
    async ofChannels(
      channelUserIds: readonly string[],
      hour: Date,
      session: ClientSession,
    ): Promise<Map<string, ViewershipHourDoc>> {
      const found = await byIds(
        hours,
        channelUserIds.map((id) => idOf(id, hour)),
        session,
      );
      return new Map(found.map((doc) => [doc.channelUserId, doc]));
    },

    ofHours: (channelUserId: string, of: readonly Date[]): Promise<ViewershipHourDoc[]> =>
      hours.find({ channelUserId, hour: { $in: [...of] } }, inOneReply(of.length)).toArray(),

    /** A minute is what its last look found: looking twice counts once. */
    async keep(
      { hour, minute }: { hour: Date; minute: number },
      looks: readonly MinuteLook[],
      session: ClientSession,
    ): Promise<void> {
      const each = looks.map(({ channelUserId, count, viewers }) => ({
        updateOne: {
          filter: { _id: idOf(channelUserId, hour) },
          update: {
            $set: { [`minutes.${minute}`]: count, viewers: new Binary(viewers) },
            $setOnInsert: { channelUserId, hour },
          },
          upsert: true,
        },
      }));
      if (each.length > 0) await hours.bulkWrite(each, { ordered: false, session });
    },
  };
}
