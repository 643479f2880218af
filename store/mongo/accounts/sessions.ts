import type { ClientSession, Db, Filter } from "mongodb";
import { batchedFinds } from "../driver/batched-finds.ts";
import { defineCollection } from "../driver/collection.ts";
import { standingsIn } from "./credential-standings.ts";

/** A sign-in on one device: a family of refresh tokens. `_id` is also its device_id. */
export type SessionDoc = {
  _id: string;
  userId: string;
  /** Number of refresh tokens issued, from 1. */
  generation: number;
  /** SHA-256 of the currently valid refresh token, hex. */
  tokenHash: string;
  /** When that token was issued: the grace period of the previous one starts here. */
  rotatedAt: Date;
  /** SHA-256 of the device's secret, hex; null once the device was forgotten, absent on sessions of older releases. */
  deviceHash?: string | null;
  /** From this refresh token on, browsers were given the session's binding and need it to refresh; absent: from none on. */
  boundFrom?: number;
  /** Whether a second factor was verified in this session; absent: no. */
  secondFactor?: boolean;
  /** The provider link that was used to sign in; absent: none. */
  linkId?: string;
  /** The passkey that was used to sign in; absent: none. */
  passkeyId?: string;
  /** The last re-authentication (step-up); absent: none since the sign-in. */
  steppedUpAt?: Date;
  userAgent: string | null;
  ip: string;
  createdAt: Date;
  lastSeenAt: Date;
  /** Sliding, up to 90 days after `createdAt`. */
  expiresAt: Date;
  /** By the database's clock, so that all workers see endings in one order; null while the session is active. */
  endedAt: Date | null;
  /** Number of tokens for embedded chats that it made, which end with it; absent: none. */
  tokensMade?: number;
  endReason: "ended" | "banned" | "reused" | null;
};

/** A device is remembered for 90 days after its session; one more day allows for clock skew. */
const TTL_SECONDS = 91 * 86_400;

const REMOVAL_BATCH = 50;

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
    { key: { expiresAt: 1 }, expireAfterSeconds: TTL_SECONDS },
  ],
});

/** By the link with a provider, or the passkey, that was used to sign in. */
export type Begun = { linkId: string } | { passkeyId: string };

export type EndReason = NonNullable<SessionDoc["endReason"]>;

export function sessionsIn(db: Db) {
  const sessions = sessionsCollection.in(db);
  const batchedFind = batchedFinds(db, "endings");
  const active = { endedAt: null };
  const end = (reason: EndReason, forgetDevice: boolean) => [
    {
      $set: {
        endedAt: "$$NOW",
        // The TTL starts at the session's end, not at its possible expiry.
        expiresAt: { $min: ["$expiresAt", "$$NOW"] },
        endReason: reason,
        ...(forgetDevice ? { deviceHash: null } : {}),
      },
    },
  ];

  /** Includes devices of ended sessions: a device stays known for longer than its session lasts. */
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

    /** Of sessions that exist: whose they are, and whether they have ended. */
    standings: (sessionIds: string[]) => standingsIn(sessions, sessionIds),

    /**
     * False when the session has ended. Conflicts with its end: that comes before the transaction, or after it and then sees what it
     * wrote.
     */
    noteToken: async (sessionId: string, session: ClientSession): Promise<boolean> =>
      (await sessions.updateOne({ _id: sessionId, ...active }, { $inc: { tokensMade: 1 } }, { session }))
        .matchedCount === 1,

    /** True when the token was still the valid one; of parallel calls with one token, only for one. */
    rotate: async (
      sessionId: string,
      tokenHash: string,
      next: Required<
        Pick<
          SessionDoc,
          | "generation"
          | "tokenHash"
          | "rotatedAt"
          | "lastSeenAt"
          | "expiresAt"
          | "ip"
          | "deviceHash"
          | "boundFrom"
        >
      >,
    ) =>
      (await sessions.updateOne({ _id: sessionId, tokenHash, ...active }, { $set: next })).modifiedCount ===
      1,

    /** Throttled: records the time, unless the session has ended or was seen since `notSince`. */
    async seen(
      seen: readonly { sessionId: string; at: Date }[],
      notSince: (at: Date) => Date,
    ): Promise<void> {
      const each = seen.map(({ sessionId, at }) => ({
        updateOne: {
          filter: { _id: sessionId, ...active, lastSeenAt: { $lt: notSince(at) } },
          update: { $set: { lastSeenAt: at } },
        },
      }));
      if (each.length > 0) await sessions.bulkWrite(each, { ordered: false });
    },
    /** Records what the user has just verified; false when the session has ended. */
    prove: async (
      sessionId: string,
      proof: Partial<Pick<SessionDoc, "secondFactor" | "steppedUpAt">>,
      session?: ClientSession,
    ) =>
      (await sessions.updateOne({ _id: sessionId, ...active }, { $set: proof }, session ? { session } : {}))
        .matchedCount === 1,

    /** Removes the session of an account that no longer exists. */
    remove: async (sessionId: string) => void (await sessions.deleteOne({ _id: sessionId })),

    /** True when this call ended it. `forgetDevice`: the device is no longer a known one. */
    end: async (sessionId: string, reason: EndReason, forgetDevice: boolean) =>
      (await sessions.updateOne({ _id: sessionId, ...active }, end(reason, forgetDevice))).modifiedCount ===
      1,

    /** Ends all active sessions of a user. `forgetDevices`: all of the user's devices become unknown, also earlier ones. */
    async endAll(userId: string, reason: EndReason, session: ClientSession, forgetDevices = false) {
      await sessions.updateMany({ userId, ...active }, end(reason, forgetDevices), { session });
      if (forgetDevices) await forgetDevicesOf({ userId }, session);
    },

    /**
     * Ends a user's active sessions except `keep`, with `begun` only those that it began. Forgets their devices, and also
     * those of sessions that ended before. Returns the sessions that it ended.
     */
    async endAllBut(
      userId: string,
      keep: string | null,
      session: ClientSession,
      begun?: Begun,
    ): Promise<string[]> {
      const others = { userId, ...begun, ...(keep === null ? {} : { _id: { $ne: keep } }) };
      const ending = await sessions
        .find({ ...others, ...active }, { session, projection: { _id: 1 } })
        .toArray();
      const ids = ending.map(({ _id }) => _id);
      if (ids.length > 0) await sessions.updateMany({ _id: { $in: ids } }, end("ended", true), { session });
      await forgetDevicesOf(others, session);
      return ids;
    },

    /**
     * Ends all active sessions, or those that were begun or refreshed after `since`; returns how many. `at`: before what workers
     * look back at, since nobody has to be notified.
     */
    endAfterRestore: async (since: Date | null, at: Date): Promise<number> =>
      (
        await sessions.updateMany(
          {
            ...active,
            ...(since === null
              ? {}
              : { $or: [{ createdAt: { $gt: since } }, { rotatedAt: { $gt: since } }] }),
          },
          [{ $set: { endedAt: at, expiresAt: { $min: ["$expiresAt", at] }, endReason: "ended" } }],
        )
      ).modifiedCount,

    /** Active sessions begun by that link or passkey. */
    begunBy: (userId: string, begun: Begun, limit: number) =>
      sessions
        .find({ userId, ...active, ...begun })
        .limit(limit)
        .toArray(),

    /** Sessions of a user that a ban ended since then, at most `limit`. */
    endedByBan: (userId: string, since: Date, limit: number) =>
      sessions
        .find({ userId, endedAt: { $gte: since }, endReason: "banned" })
        .limit(limit)
        .toArray(),

    /** Active sessions, most recently used first. */
    active: (userId: string, now: Date, skip: number, limit: number, session?: ClientSession) =>
      sessions
        .find({ userId, ...active, expiresAt: { $gt: now } }, session ? { session } : {})
        .sort({ lastSeenAt: -1 })
        .skip(skip)
        .limit(limit)
        .toArray(),

    /** Removes a batch of a user's ended sessions, except for the `keep` last used ones. */
    async removeEnded(userId: string, keep: number): Promise<void> {
      const old = await sessions
        .find({ userId, endedAt: { $ne: null } }, { projection: { _id: 1 } })
        .sort({ lastSeenAt: -1 })
        .skip(keep)
        .limit(REMOVAL_BATCH)
        .toArray();
      if (old.length > 0) await sessions.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
    },

    /** Sessions that ended at that time of the database's clock or later, in the order of their end. */
    endedFrom: (endedAt: Date, limit: number) =>
      batchedFind(
        sessions,
        { endedAt: { $gte: endedAt } },
        { sort: { endedAt: 1 }, limit, projection: { _id: 1, userId: 1, endedAt: 1, endReason: 1 } },
      ),
  };
}

export type Sessions = ReturnType<typeof sessionsIn>;
