import type { Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** What a channel's owner wants of raids; `_id` is the owner. */
export type RaidSettingsDoc = {
  _id: string;
  /** Whose raids come in; `followed`: of channels that the owner follows. */
  acceptFrom: "everyone" | "followed" | "nobody";
  /** For how long the raiding channel's owner must have followed this one, minutes; null for no such condition. */
  minFollow: number | null;
  /** Owners whose raids never come in. */
  blockedUserIds: string[];
  /** The channel hosts the target once a raid of its own is completed. */
  hostAfter: boolean;
  /** Shield mode goes up when a raid comes in. */
  shieldOnArrival: boolean;
};

export const raidSettingsCollection = defineCollection<RaidSettingsDoc>("raid_settings", {
  personal: {
    erase: { _id: "delete", blockedUserIds: "remove" },
    exports: [
      { by: "_id", shows: ["acceptFrom", "minFollow", "blockedUserIds", "hostAfter", "shieldOnArrival"] },
    ],
  },
});

const DEFAULTS = {
  acceptFrom: "everyone",
  minFollow: null,
  blockedUserIds: [],
  hostAfter: false,
  shieldOnArrival: false,
} as const satisfies Omit<RaidSettingsDoc, "_id">;

export function raidSettingsIn(db: Db) {
  const settings = raidSettingsCollection.in(db);
  return {
    /** The defaults for who has never set any. */
    of: async (userId: string): Promise<RaidSettingsDoc> =>
      (await settings.findOne({ _id: userId })) ?? { _id: userId, ...DEFAULTS, blockedUserIds: [] },
    set: async (doc: RaidSettingsDoc) =>
      void (await settings.replaceOne({ _id: doc._id }, doc, { upsert: true })),
  };
}
