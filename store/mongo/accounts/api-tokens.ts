import type { ClientSession, Db, Filter } from "mongodb";
import type { Scope } from "../../../contract/scopes.ts";
import { batchedFinds } from "../driver/batched-finds.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";
import { standingsIn } from "./credential-standings.ts";

/** A personal API token. The token itself isn't stored; it is looked up by its hash. */
export type ApiTokenDoc = {
  _id: string;
  userId: string;
  name: string;
  /** Host of the page whose chat it is for; absent for tokens that their owner created by name. */
  site?: string;
  /** The only stream whose chat it is for; absent: all. */
  streamId?: string;
  /** The overlay that it opens; absent for all other tokens. It has no other use, and isn't among the tokens that its owner lists. */
  overlayId?: string;
  /** The session that made it and with which it ends; absent for tokens that their owner created by name. */
  sessionId?: string;
  /** The token's first characters, so that its owner can tell it from others. */
  prefix: string;
  /** SHA-256 of the token, hex. No salt is needed: the token has 190 random bits. */
  hash: string;
  scopes: Scope[];
  createdAt: Date;
  /** Up to a minute behind; null until it is used. */
  lastUsedAt: Date | null;
  /** Null: never. */
  expiresAt: Date | null;
  /** By the database's clock, as for sessions; null while it is active. */
  endedAt: Date | null;
  endReason: "ended" | "banned" | null;
};

type EndedToken = Pick<ApiTokenDoc, "_id" | "userId" | "endedAt" | "endReason">;

/** Longer than workers look back for ended tokens. */
const TTL_SECONDS = 86_400;

/** Its name is older than the others' way to write theirs. */
export const apiTokensCollection = defineCollection<ApiTokenDoc>("apiTokens", {
  personal: {
    erase: { userId: "delete" },
    exports: [
      {
        as: "api_tokens",
        by: "userId",
        shows: [
          "name",
          "site",
          "streamId",
          "prefix",
          "scopes",
          "createdAt",
          "lastUsedAt",
          "expiresAt",
          "endedAt",
        ],
      },
    ],
  },
  indexes: [
    { key: { hash: 1 }, unique: true },
    { key: { userId: 1, endedAt: 1, createdAt: -1 } },
    {
      key: { endedAt: 1 },
      partialFilterExpression: { endedAt: { $type: "date" } },
      expireAfterSeconds: TTL_SECONDS,
    },
    {
      key: { expiresAt: 1 },
      partialFilterExpression: { expiresAt: { $type: "date" } },
      expireAfterSeconds: TTL_SECONDS,
    },
  ],
});

export type TokenUse = { tokenId: string; at: Date };

export function apiTokensIn(db: Db) {
  const tokens = apiTokensCollection.in(db);
  const batchedFind = batchedFinds(db, "endings");
  const end = (reason: NonNullable<ApiTokenDoc["endReason"]>) => [
    { $set: { endedAt: "$$NOW", endReason: reason } },
  ];
  const active = (userId: string, now: Date) => ({
    userId,
    endedAt: null,
    overlayId: { $exists: false },
    $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }],
  });

  async function endWhere(wanted: Filter<ApiTokenDoc>, session?: ClientSession): Promise<string[]> {
    const options = session ? { session } : {};
    const ending = await tokens.find(wanted, { ...options, projection: { _id: 1 } }).toArray();
    if (ending.length === 0) return [];
    await tokens.updateMany(wanted, end("ended"), options);
    return ending.map(({ _id }) => _id);
  }

  return {
    insert: async (doc: ApiTokenDoc, session: ClientSession) =>
      void (await tokens.insertOne(doc, { session })),
    findByHash: (hash: string) => tokens.findOne({ hash }),
    find: (tokenId: string) => tokens.findOne({ _id: tokenId }),
    /** Of tokens that exist: whose they are, and whether they have ended. */
    standings: (tokenIds: string[]) => standingsIn(tokens, tokenIds),

    /** Counts a user's tokens that are neither ended nor expired; stops at `most` + 1. */
    countActive: (userId: string, now: Date, most: number, session: ClientSession) =>
      tokens.countDocuments(active(userId, now), { session, limit: most + 1 }),

    /** The same tokens, newest first. */
    pageOfActive: (userId: string, now: Date, range: Range) =>
      pageIn(tokens, active(userId, now), { createdAt: -1, _id: -1 }, range),

    /** True when this call ended it. */
    end: async (tokenId: string, userId: string) =>
      (await tokens.updateOne({ _id: tokenId, userId, endedAt: null }, end("ended"))).modifiedCount === 1,

    /** Ends the user's tokens for that site and stream (null: those for all streams). Returns their ids. */
    endOfSite: (userId: string, site: string, streamId: string | null, session: ClientSession) =>
      endWhere({ userId, site, streamId: streamId ?? { $exists: false }, endedAt: null }, session),

    /** Ends the token of an overlay's link. Returns its id. */
    endOfOverlay: (userId: string, overlayId: string, session: ClientSession) =>
      endWhere({ userId, overlayId, endedAt: null }, session),

    /** The tokens that open a user's overlays. */
    ofOverlays: (userId: string): Promise<ApiTokenDoc[]> =>
      tokens.find({ userId, endedAt: null, overlayId: { $exists: true } }).toArray(),

    /** Ends the tokens that these sessions of a user made. Returns their ids. */
    endOfSessions: (userId: string, sessionIds: readonly string[]): Promise<string[]> =>
      endWhere({ userId, sessionId: { $in: [...sessionIds] }, endedAt: null }),

    /** Ends the user's tokens for sites, except those that the session `but` made. Returns their ids. */
    endOfOthers: (userId: string, but: string, session: ClientSession): Promise<string[]> =>
      endWhere({ userId, site: { $exists: true }, sessionId: { $ne: but }, endedAt: null }, session),

    /** Ends all active tokens of a user. Returns their ids. */
    async endAll(userId: string, reason: "ended" | "banned", session: ClientSession): Promise<string[]> {
      const ending = await tokens
        .find({ userId, endedAt: null }, { session, projection: { _id: 1 } })
        .toArray();
      await tokens.updateMany({ userId, endedAt: null }, end(reason), { session });
      return ending.map(({ _id }) => _id);
    },

    /** Ends all active tokens, or those for embedded chats; returns how many. `at`: as for sessions. */
    endAfterRestore: async (which: "all" | "for_sites", at: Date): Promise<number> =>
      (
        await tokens.updateMany(
          { endedAt: null, ...(which === "all" ? {} : { site: { $exists: true } }) },
          { $set: { endedAt: at, endReason: "ended" } },
        )
      ).modifiedCount,

    /** The user's tokens that a ban ended since then. */
    endedByBan: (userId: string, since: Date) =>
      tokens.find({ userId, endedAt: { $gte: since }, endReason: "banned" }).toArray(),

    /** Tokens that ended at that time of the database's clock or later, in that order. Used like the one for sessions. */
    endedFrom: (endedAt: Date, limit: number): Promise<EndedToken[]> =>
      batchedFind(
        tokens,
        { endedAt: { $gte: endedAt } },
        { sort: { endedAt: 1 }, limit, projection: { _id: 1, userId: 1, endedAt: 1, endReason: 1 } },
      ),

    /** Throttled: writes uses that are at least `atLeastMs` after the stored one, so one write per interval over all workers. */
    noteUses: async (uses: readonly TokenUse[], atLeastMs: number) =>
      void (await tokens.bulkWrite(
        uses.map(({ tokenId, at }) => ({
          updateOne: {
            filter: {
              _id: tokenId,
              $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: new Date(at.getTime() - atLeastMs) } }],
            },
            update: { $set: { lastUsedAt: at } },
          },
        })),
        { ordered: false },
      )),
  };
}

export type ApiTokensStore = ReturnType<typeof apiTokensIn>;
