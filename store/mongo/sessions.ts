import type { Db, IndexDescription } from "mongodb";

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

export const sessionIndexes = [
  { key: { userId: 1, endedAt: 1, lastSeenAt: -1 } },
  { key: { endedAt: 1 }, partialFilterExpression: { endedAt: { $type: "date" } } },
  // A day longer than it is valid, so that a late refresh is told apart from a forged one.
  { key: { expiresAt: 1 }, expireAfterSeconds: 86_400 },
] satisfies IndexDescription[];

export type EndReason = NonNullable<SessionDoc["endReason"]>;

export function sessionsIn(db: Db) {
  const sessions = db.collection<SessionDoc>("sessions");
  const lasting = { endedAt: null };
  const end = (reason: EndReason) => ({
    $currentDate: { endedAt: true as const },
    $set: { endReason: reason },
  });

  return {
    insert: async (doc: SessionDoc) => void (await sessions.insertOne(doc)),
    find: (sessionId: string) => sessions.findOne({ _id: sessionId }),

    /** True when the token was the valid one until now; of parallel calls with one token one is told so. */
    rotate: async (
      sessionId: string,
      tokenHash: string,
      next: Pick<SessionDoc, "generation" | "tokenHash" | "rotatedAt" | "lastSeenAt" | "expiresAt" | "ip">,
    ) =>
      (await sessions.updateOne({ _id: sessionId, tokenHash, ...lasting }, { $set: next })).modifiedCount ===
      1,

    /** True when this call ended it. */
    end: async (sessionId: string, reason: EndReason) =>
      (await sessions.updateOne({ _id: sessionId, ...lasting }, end(reason))).modifiedCount === 1,

    /** Ends every session of a user that lasts, or all of them but one. */
    endAll: async (userId: string, reason: EndReason, except?: string) =>
      void (await sessions.updateMany(
        { userId, ...lasting, ...(except === undefined ? {} : { _id: { $ne: except } }) },
        end(reason),
      )),

    /** Sessions that last, the most recently used first. */
    lasting: (userId: string, now: Date, skip: number, limit: number) =>
      sessions
        .find({ userId, ...lasting, expiresAt: { $gt: now } })
        .sort({ lastSeenAt: -1 })
        .skip(skip)
        .limit(limit)
        .toArray(),

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
