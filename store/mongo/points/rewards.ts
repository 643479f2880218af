import type { ClientSession, Db, Document } from "mongodb";
import { uniqueText } from "../../../base/texts/folded-text.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** The properties of a reward that its owner sets. Limits are null where there is none. */
export type Offer = {
  title: string;
  description: string | null;
  /** Points. */
  cost: number;
  isEnabled: boolean;
  isPaused: boolean;
  requiresInput: boolean;
  /** Redemptions are fulfilled at once. */
  skipQueue: boolean;
  /** Between any two redemptions, by whichever users. */
  cooldownSeconds: number | null;
  maxPerStream: number | null;
  maxPerUserPerStream: number | null;
};

/** The read model of a reward: written by its actor, removed when it is deleted. Counts of redemptions are in the snapshot. */
export type RewardDoc = Offer & {
  _id: string;
  channelUserId: string;
  streamId: string;
  /** The normalised title, for comparison. */
  titleKey: string;
  createdAt: Date;
};

/** With a slot number: the unique index on a limited number of slots limits a channel's rewards. */
type Placed = RewardDoc & { place: number };

export const MAX_REWARDS = 50;

/** The unique index on a channel's titles, as `violatedIndex` names it. */
export const ONE_OF_A_TITLE = "rewards.one_of_a_title";

export const rewardsCollection = defineCollection<Placed>("rewards", {
  personal: {
    actor: "reward",
    erase: { channelUserId: "delete" },
    exports: [{ by: "channelUserId", shows: ["title", "description", "cost", "isEnabled", "createdAt"] }],
  },

  indexes: [
    { key: { channelUserId: 1, titleKey: 1 }, unique: true, name: "one_of_a_title" },
    { key: { channelUserId: 1, place: 1 }, unique: true }, // page, freePlaces, otherTitles
  ],
});

/** What people see of a title, without case: a channel has one reward of it. Older rewards keep their key until their title changes. */
export const titleKeyOf = (title: string): string => uniqueText(title) || title.trim().toLowerCase();

/**
 * All fields as they are now; the key only with another title. That of an older reward may be another's by now, which must not
 * keep its owner from pausing it.
 */
function changed({ _id, titleKey, ...doc }: RewardDoc): Document {
  const literally = (value: unknown) => ({ $literal: value });
  const isSameTitle = { $eq: ["$title", literally(doc.title)] };
  return {
    ...Object.fromEntries(Object.entries(doc).map(([name, value]) => [name, literally(value)])),
    titleKey: { $cond: [isSameTitle, "$titleKey", literally(titleKey)] },
  };
}

export function rewardsIn(db: Db) {
  const rewards = rewardsCollection.in(db);
  return {
    find: (id: string): Promise<RewardDoc | null> => rewards.findOne({ _id: id }),
    /** Cheapest first. */
    page: (channelUserId: string, range: Range) =>
      pageIn(rewards, { channelUserId }, { cost: 1, _id: 1 }, range),
    /** Free slots of a channel. */
    async freePlaces(channelUserId: string): Promise<number[]> {
      const taken = await rewards.distinct("place", { channelUserId });
      return Array.from({ length: MAX_REWARDS }, (_, place) => place).filter((one) => !taken.includes(one));
    },
    /** The titles of a channel's rewards except the given one. */
    async otherTitles(channelUserId: string, id: string): Promise<string[]> {
      const others = rewards.find({ channelUserId, _id: { $ne: id } }).limit(MAX_REWARDS);
      return (await others.project<Pick<RewardDoc, "title">>({ title: 1 }).toArray()).map(
        ({ title }) => title,
      );
    },
    /** A taken title or slot causes a duplicate key. */
    insert: async (docs: Placed[], session: ClientSession) =>
      void (await rewards.insertMany(docs, { session })),
    change: async (docs: RewardDoc[], session: ClientSession) =>
      void (await rewards.bulkWrite(
        docs.map((doc) => ({ updateOne: { filter: { _id: doc._id }, update: [{ $set: changed(doc) }] } })),
        { session },
      )),
    remove: async (ids: string[], session: ClientSession) =>
      void (await rewards.deleteMany({ _id: { $in: ids } }, { session })),
  };
}
