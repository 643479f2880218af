import { Binary, type ClientSession, type Db } from "mongodb";
import { ROLLUP_LIFE_SECONDS } from "../channels/rollup-times.ts";
import { byIds, inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";

/** A channel's viewers in an hour, sampled each minute; `_id` is "channel:hour". */
export type ViewershipHourDoc = {
  _id: string;
  channelUserId: string;
  hour: Date;
  /** Viewer count by minute of the hour; minutes without viewers or without a sample are absent. */
  minutes: Record<string, number>;
  /** The distinct viewers, as a sketch of keyed hashes, from which nobody can be identified. */
  viewers: Binary;
};

/** A sample of one channel; `viewers` are those of the whole hour so far. */
type MinuteLook = { channelUserId: string; count: number; viewers: Uint8Array };

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

    /** Idempotent: the last sample of a minute wins. */
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
