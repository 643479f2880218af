import type { Db } from "mongodb";
import { defineCollection } from "./collection.ts";

/** Where push notifications for somebody go: one app on one phone, for as long as the session lasts that registered it. */
export type PushDeviceDoc = {
  /** SHA-256 of type and token, hex: an app belongs to one account at a time. */
  _id: string;
  /** Of the registration; it stays with a new token, and not with another account. */
  deviceId: string;
  userId: string;
  /** Nothing is pushed once it has ended. */
  sessionId: string;
  /** The token under MASTER_KEY, since whoever sends needs it. */
  tokenSealed: string;
  deviceType: "ios" | "android";
  notificationsEnabled: boolean;
  lastActive: Date;
  /** Past the longest life of its session. */
  expiresAt: Date;
};

export const pushDevicesCollection = defineCollection<PushDeviceDoc>("push_devices", {
  indexes: [
    { key: { userId: 1, lastActive: -1, _id: 1 } }, // ofUser
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
  personal: {
    erase: { userId: "delete" },
    exports: [{ by: "userId", shows: ["deviceId", "deviceType", "notificationsEnabled", "lastActive"] }],
  },
});

export function pushDevicesIn(db: Db) {
  const devices = pushDevicesCollection.in(db);
  return {
    /**
     * Registers a token: one that the user has registered keeps its id and, unless it is given, whether anything is pushed;
     * one of another account becomes a registration of this one.
     */
    async register({
      notificationsEnabled,
      ...doc
    }: Omit<PushDeviceDoc, "notificationsEnabled"> & {
      notificationsEnabled: boolean | undefined;
    }): Promise<PushDeviceDoc> {
      const { _id, userId, deviceId, ...rest } = doc;
      const isOwn = { $eq: ["$userId", userId] };
      const kept = { $cond: [isOwn, "$notificationsEnabled", true] };
      const registered = await devices.findOneAndUpdate(
        { _id },
        [
          {
            $set: {
              deviceId: { $cond: [isOwn, "$deviceId", deviceId] },
              notificationsEnabled: notificationsEnabled ?? kept,
            },
          },
          { $set: { userId, ...rest } },
        ],
        { upsert: true, returnDocument: "after" },
      );
      if (!registered) throw new Error("an upsert gave nothing back");
      return registered;
    },

    /**
     * In place of the user's registration of that token, and of what another account registered with the new one. False when
     * the user has none any more.
     */
    async replace(tokenHash: string, { _id, ...doc }: PushDeviceDoc): Promise<boolean> {
      if (_id === tokenHash)
        return (await devices.replaceOne({ _id, userId: doc.userId }, doc)).matchedCount === 1;
      await devices.replaceOne({ _id }, doc, { upsert: true });
      await devices.deleteOne({ _id: tokenHash, userId: doc.userId });
      return true;
    },

    /** Registrations of a user, the last active first; at most `limit`. */
    ofUser: (userId: string, limit: number) =>
      devices.find({ userId }).sort({ lastActive: -1, _id: 1 }).limit(limit).toArray(),

    /** Devices of users to which something may be pushed, as long as their sessions last. */
    enabledOf: (userIds: string[]) =>
      devices.find({ userId: { $in: userIds }, notificationsEnabled: true }).toArray(),

    /** Which of these users have such a device. */
    usersWithEnabled: (userIds: string[]): Promise<string[]> =>
      devices.distinct("userId", { userId: { $in: userIds }, notificationsEnabled: true }),

    /** Unless it was active since. */
    removeInactive: async (userId: string, tokenHash: string, since: Date) =>
      void (await devices.deleteOne({ _id: tokenHash, userId, lastActive: { $lte: since } })),

    /** Of those tokens, what the user has; one may have moved since they were read. */
    removeMany: async (userId: string, tokenHashes: string[]) =>
      void (await devices.deleteMany({ _id: { $in: tokenHashes }, userId })),
  };
}
