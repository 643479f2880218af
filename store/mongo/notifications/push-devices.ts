import type { Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";

/** A target of push notifications: one app on one phone, for as long as the session that registered it. */
export type PushDeviceDoc = {
  /** SHA-256 of type and token, hex: an app belongs to one account at a time. */
  _id: string;
  /** The registration's id; it stays when the token changes, but not when the account does. */
  deviceId: string;
  userId: string;
  /** Nothing is pushed once this session has ended. */
  sessionId: string;
  /** The token sealed with MASTER_KEY, since the sender needs it in clear. */
  tokenSealed: string;
  deviceType: "ios" | "android";
  notificationsEnabled: boolean;
  lastActive: Date;
  /** Later than the session can last. */
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
     * Registers a token. If it is the user's already, it keeps its id and, unless given, `notificationsEnabled`; if it is another
     * account's, it becomes a registration of this one.
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
     * Replaces the user's registration of that token, and any registration of the new token by another account. False when the
     * user's registration is gone.
     */
    async replace(tokenHash: string, { _id, ...doc }: PushDeviceDoc): Promise<boolean> {
      if (_id === tokenHash)
        return (await devices.replaceOne({ _id, userId: doc.userId }, doc)).matchedCount === 1;
      await devices.replaceOne({ _id }, doc, { upsert: true });
      await devices.deleteOne({ _id: tokenHash, userId: doc.userId });
      return true;
    },

    /** Registrations of a user, most recently active first; at most `limit`. */
    ofUser: (userId: string, limit: number) =>
      devices.find({ userId }).sort({ lastActive: -1, _id: 1 }).limit(limit).toArray(),

    /** Devices of users with notifications enabled. Whether their sessions have ended isn't checked here. */
    enabledOf: (userIds: string[]) =>
      devices.find({ userId: { $in: userIds }, notificationsEnabled: true }).toArray(),

    /** Which of these users have such a device. */
    usersWithEnabled: (userIds: string[]): Promise<string[]> =>
      devices.distinct("userId", { userId: { $in: userIds }, notificationsEnabled: true }),

    /** Unless it was active since then. */
    removeInactive: async (userId: string, tokenHash: string, since: Date) =>
      void (await devices.deleteOne({ _id: tokenHash, userId, lastActive: { $lte: since } })),

    /** Only tokens that are still the user's; one may have moved to another account since they were read. */
    removeMany: async (userId: string, tokenHashes: string[]) =>
      void (await devices.deleteMany({ _id: { $in: tokenHashes }, userId })),
  };
}
