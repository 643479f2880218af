import type { ClientSession, Db, Filter } from "mongodb";
import { defineCollection } from "./collection.ts";

/** A sign-in on one device: the family of its refresh tokens. `_id` is also its device_id. */
export type SessionDoc = {
  _id: string;
  userId: string;
  /** Counts the refresh tokens given out, from 1. */
  generation: number;
  /** SHA-256 of the refresh token that is valid now, hex. */
  tokenHash: string;
  /** When that token was made: the grace of the one before it runs from here. */
  rotatedAt: Date;
  /** SHA-256 of the device's secret, hex; null once the device was forgotten, absent on sessions of older releases. */
  deviceHash?: string | null;
  /** Whether its owner has shown a second factor in it; absent: no. */
  secondFactor?: boolean;
  /** The link with a provider by which it was begun; absent: by none. */
  linkId?: string;
  /** When its owner last proved once more to be it; absent: since the sign-in never. */
  steppedUpAt?: Date;
  userAgent: string | null;
  ip: string;
  createdAt: Date;
  lastSeenAt: Date;
  /** Slides with use, never past 90 days after `createdAt`. */
  expiresAt: Date;
  /** The database's time, so that all workers can follow endings in one order; null while it lasts. */
  endedAt: Date | null;
  endReason: "ended" | "banned" | "reused" | null;
};

/** A device is remembered for 90 days after its session, and a day more leaves clocks some room. */
const KEPT_SECONDS = 91 * 86_400;

const REMOVED_AT_ONCE = 50;

export const sessionsCollection = defineCollection<SessionDoc>("sessions", {
  personal: {
    erase: { userId: "delete" },
    exports: [
      { by: "userId", shows: ["userAgent", "ip", "createdAt", "lastSeenAt", "expiresAt", "endedAt"] },
    ],
  },

  indexes: [
    { key: { userId: 1, endedAt: 1, lastSeenAt: -1 } },
    { key: { endedAt: 1 }, partialFilterExpression: { endedAt: { $type: "date" } } },
    { key: { expiresAt: 1 }, expireAfterSeconds: KEPT_SECONDS },
  ],
});

export type EndReason = NonNullable<SessionDoc["endReason"]>;

export function sessionsIn(db: Db) {
  const sessions = sessionsCollection.in(db);
  const lasting = { endedAt: null };
  const end = (reason: EndReason, forgetDevice: boolean) => [
    {
      $set: {
        endedAt: "$$NOW",
        // Kept from its end on, not from when it might have ended.
        expiresAt: { $min: ["$expiresAt", "$$NOW"] },
        endReason: reason,
        ...(forgetDevice ? { deviceHash: null } : {}),
      },
    },
  ];

  /** Also of those that have ended: a device is known for longer than its session lasts. */
  const forgetDevicesOf = async (whose: Filter<SessionDoc>, session: ClientSession) =>
    void (await sessions.updateMany(
      { ...whose, deviceHash: { $type: "string" } },
      { $set: { deviceHash: null } },
      { session },
    ));

  return {
    insert: async (doc: SessionDoc) => void (await sessions.insertOne(doc)),
    find: (sessionId: string, session?: ClientSession) =>
      sessions.findOne({ _id: sessionId }, session ? { session } : {}),

    /** True when the token was the valid one until now; of parallel calls with one token, for one alone. */
    rotate: async (
      sessionId: string,
      tokenHash: string,
      next: Required<
        Pick<
          SessionDoc,
          "generation" | "tokenHash" | "rotatedAt" | "lastSeenAt" | "expiresAt" | "ip" | "deviceHash"
        >
      >,
    ) =>
      (await sessions.updateOne({ _id: sessionId, tokenHash, ...lasting }, { $set: next })).modifiedCount ===
      1,

    /** Seen then, unless it has ended or was seen since `notSince`. */
    async seen(
      seen: readonly { sessionId: string; at: Date }[],
      notSince: (at: Date) => Date,
    ): Promise<void> {
      const each = seen.map(({ sessionId, at }) => ({
        updateOne: {
          filter: { _id: sessionId, ...lasting, lastSeenAt: { $lt: notSince(at) } },
          update: { $set: { lastSeenAt: at } },
        },
      }));
      if (each.length > 0) await sessions.bulkWrite(each, { ordered: false });
    },
    /** Notes what its owner has just proved; false when it has ended. */
    prove: async (
      sessionId: string,
      proof: Partial<Pick<SessionDoc, "secondFactor" | "steppedUpAt">>,
      session?: ClientSession,
    ) =>
      (await sessions.updateOne({ _id: sessionId, ...lasting }, { $set: proof }, session ? { session } : {}))
        .matchedCount === 1,

    /** Of an account that isn't there any more. */
    remove: async (sessionId: string) => void (await sessions.deleteOne({ _id: sessionId })),

    /** True when this call ended it. `forgetDevice`: the device isn't a known one any more. */
    end: async (sessionId: string, reason: EndReason, forgetDevice: boolean) =>
      (await sessions.updateOne({ _id: sessionId, ...lasting }, end(reason, forgetDevice))).modifiedCount ===
      1,

    /** Ends every session of a user that lasts. `forgetDevices`: none of the user's devices, of before either, is a known one any more. */
    async endAll(userId: string, reason: EndReason, session: ClientSession, forgetDevices = false) {
      await sessions.updateMany({ userId, ...lasting }, end(reason, forgetDevices), { session });
      if (forgetDevices) await forgetDevicesOf({ userId }, session);
    },

    /**
     * Ends those of a user that last but `keep`, or of these what that link began, and forgets their devices and those whose session
     * has ended before. Gives back which it ended.
     */
    async endAllBut(
      userId: string,
      keep: string | null,
      session: ClientSession,
      linkId?: string,
    ): Promise<string[]> {
      const begun = linkId === undefined ? {} : { linkId };
      const others = { userId, ...begun, ...(keep === null ? {} : { _id: { $ne: keep } }) };
      const ending = await sessions
        .find({ ...others, ...lasting }, { session, projection: { _id: 1 } })
        .toArray();
      const ids = ending.map(({ _id }) => _id);
      if (ids.length > 0) await sessions.updateMany({ _id: { $in: ids } }, end("ended", true), { session });
      await forgetDevicesOf(others, session);
      return ids;
    },

    /** Those that last and were begun by that link. */
    begunBy: (userId: string, linkId: string, limit: number) =>
      sessions
        .find({ userId, ...lasting, linkId })
        .limit(limit)
        .toArray(),

    /** Sessions of a user that a ban ended since then, at most `limit`. */
    endedByBan: (userId: string, since: Date, limit: number) =>
      sessions
        .find({ userId, endedAt: { $gte: since }, endReason: "banned" })
        .limit(limit)
        .toArray(),

    /** Sessions that last, the most recently used first. */
    lasting: (userId: string, now: Date, skip: number, limit: number, session?: ClientSession) =>
      sessions
        .find({ userId, ...lasting, expiresAt: { $gt: now } }, session ? { session } : {})
        .sort({ lastSeenAt: -1 })
        .skip(skip)
        .limit(limit)
        .toArray(),

    /** Removes the ended sessions of a user but the last used `keep`; some at a time. */
    async removeEnded(userId: string, keep: number): Promise<void> {
      const old = await sessions
        .find({ userId, endedAt: { $ne: null } }, { projection: { _id: 1 } })
        .sort({ lastSeenAt: -1 })
        .skip(keep)
        .limit(REMOVED_AT_ONCE)
        .toArray();
      if (old.length > 0) await sessions.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
    },

    /** Sessions that ended at that moment of the database's time or later, in the order of their end. */
    endedFrom: (endedAt: Date, limit: number) =>
      sessions
        .find(
          { endedAt: { $gte: endedAt } },
          { projection: { _id: 1, userId: 1, endedAt: 1, endReason: 1 }, maxTimeMS: 2_000 },
        )
        .sort({ endedAt: 1 })
        .limit(limit)
        .toArray(),
  };
}

export type Sessions = ReturnType<typeof sessionsIn>;
