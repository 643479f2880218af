import type { Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";

/** A channel's settings for raids; `_id` is its owner. */
export type RaidSettingsDoc = {
  _id: string;
  /** Whose raids are accepted; `followed`: those of channels that the owner follows. */
  acceptFrom: "everyone" | "followed" | "nobody";
  /** How long the raiding channel's owner must have followed this one, minutes; null for no such condition. */
  minFollow: number | null;
  /** Owners whose raids are never accepted. */
  blockedUserIds: string[];
  /** Whether the channel hosts the target after its own raid has completed. */
  hostAfter: boolean;
  /** Whether shield mode is switched on when a raid arrives. */
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
    /** The defaults if the user has never set any. */
    of: async (userId: string): Promise<RaidSettingsDoc> =>
      (await settings.findOne({ _id: userId })) ?? { _id: userId, ...DEFAULTS, blockedUserIds: [] },
    set: async (doc: RaidSettingsDoc) =>
      void (await settings.replaceOne({ _id: doc._id }, doc, { upsert: true })),
  };
}
