import type { Binary, ClientSession, Db } from "mongodb";
import { ROLLUP_LIFE_SECONDS } from "../channels/rollup-times.ts";
import { inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import type { Activity } from "./channel-activity.ts";

type HourActivity = Activity & { hour: Date };

/** Viewer figures of a day; `viewers` is a sketch of the distinct viewers. */
export type DayViewing = { peakViewers: number; watchedMinutes: number; viewers: Binary | null };

/** A day (UTC) of a channel with activity, and its hours; `_id` is "channel:day". Its sums are those of its hours. */
export type ChannelDayDoc = Activity &
  DayViewing & { _id: string; channelUserId: string; day: Date; hours: HourActivity[] };

export const channelDaysCollection = defineCollection<ChannelDayDoc>("channel_days", {
  personal: {
    erase: { channelUserId: "delete", _id: { with: "channelUserId" } },
    exports: { nothing: "they are numbers of others" },
  },

  indexes: [
    { key: { channelUserId: 1, day: 1 } }, // days
    { key: { day: 1 }, expireAfterSeconds: ROLLUP_LIFE_SECONDS },
  ],
});

export const dayIdOf = (channelUserId: string, day: Date) => `${channelUserId}:${day.getTime()}`;

/** No period has more days. */
const MAX_DAYS = 92;

export function channelDaysIn(db: Db) {
  const days = channelDaysCollection.in(db);
  return {
    find: (channelUserId: string, day: Date, session?: ClientSession) =>
      days.findOne({ _id: dayIdOf(channelUserId, day) }, session ? { session } : {}),

    put: async (doc: ChannelDayDoc, session: ClientSession) =>
      void (await days.replaceOne({ _id: doc._id }, doc, { session, upsert: true })),

    /** Whole days between these two, without the `open` ones. */
    closed: (channelUserId: string, { after, before, open }: { after: Date; before: Date; open: Date[] }) =>
      days
        .find({ channelUserId, day: { $gt: after, $lt: before, $nin: open } }, inOneReply(MAX_DAYS))
        .project<Omit<ChannelDayDoc, "hours">>({ hours: 0 })
        .toArray(),

    ofDays: (channelUserId: string, of: Date[]): Promise<ChannelDayDoc[]> =>
      days.find({ channelUserId, day: { $in: of } }, inOneReply(of.length)).toArray(),

    /** The hours of those days. */
    async hoursOf(channelUserId: string, of: Date[]): Promise<HourActivity[]> {
      const found = await days
        .find({ channelUserId, day: { $in: of } }, inOneReply(of.length))
        .project<Pick<ChannelDayDoc, "hours">>({ hours: 1 })
        .toArray();
      return found.flatMap(({ hours }) => hours);
    },
  };
}
