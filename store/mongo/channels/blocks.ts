import type { ClientSession, Db } from "mongodb";
import { byIds } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** `_id` is "blocker:blocked", so blocking is idempotent. */
export type BlockDoc = { _id: string; blockerId: string; blockedId: string; createdAt: Date };

export const blocksCollection = defineCollection<BlockDoc>("blocks", {
  personal: {
    erase: { blockerId: "delete", blockedId: "delete", _id: { with: "blockerId" } },
    exports: [{ by: "blockerId", shows: ["blockedId", "createdAt"] }],
  },

  indexes: [{ key: { blockerId: 1, createdAt: -1, _id: 1 } }], // the page
});

const idOf = (blockerId: string, blockedId: string) => `${blockerId}:${blockedId}`;
const bothWays = (one: string, other: string) => [idOf(one, other), idOf(other, one)];

export type Blocks = ReturnType<typeof blocksIn>;

export function blocksIn(db: Db) {
  const blocks = blocksCollection.in(db);
  return {
    /** An existing block stays unchanged. */
    async add(block: Omit<BlockDoc, "_id">, session: ClientSession) {
      const _id = idOf(block.blockerId, block.blockedId);
      await blocks.updateOne({ _id }, { $setOnInsert: block }, { upsert: true, session });
    },
    remove: async (blockerId: string, blockedId: string, session: ClientSession) =>
      void (await blocks.deleteOne({ _id: idOf(blockerId, blockedId) }, { session })),
    /** Which of `otherIds` have blocked the user or are blocked by the user. */
    async eitherWay(userId: string, otherIds: readonly string[], session?: ClientSession) {
      const ids = otherIds.flatMap((other) => bothWays(userId, other));
      const found = await byIds(blocks, ids, session);
      return new Set(found.map(({ blockerId, blockedId }) => (blockerId === userId ? blockedId : blockerId)));
    },
    /** Which of `otherIds` the user has blocked. */
    async blockedBy(userId: string, otherIds: readonly string[]): Promise<ReadonlySet<string>> {
      const found = await byIds(
        blocks,
        otherIds.map((other) => idOf(userId, other)),
      );
      return new Set(found.map(({ blockedId }) => blockedId));
    },
    /** For each pair whether the first has blocked the second. */
    async haveBlocked(
      pairs: readonly (readonly [blockerId: string, blockedId: string])[],
    ): Promise<boolean[]> {
      const ids = pairs.map(([blocker, blocked]) => idOf(blocker, blocked));
      const found = new Set((await byIds(blocks, [...new Set(ids)])).map(({ _id }) => _id));
      return ids.map((id) => found.has(id));
    },
    /** The pairs in which neither blocks the other. */
    async withoutBlocks<Pair extends { one: string; other: string }>(pairs: readonly Pair[]) {
      const ids = new Set(pairs.flatMap(({ one, other }) => bothWays(one, other)));
      const found = new Set((await byIds(blocks, [...ids])).map(({ _id }) => _id));
      return pairs.filter(({ one, other }) => !bothWays(one, other).some((id) => found.has(id)));
    },
    /**
     * Whether neither has blocked the other, for an action that a block would undo. It writes the keys of both possible blocks,
     * so that a concurrent block causes a write conflict: the later transaction is retried and sees the other's result.
     */
    async lockIfNeitherBlocks(one: string, other: string, session: ClientSession): Promise<boolean> {
      const touch = { $setOnInsert: { blockerId: "" } };
      for (const _id of bothWays(one, other)) {
        const { matchedCount } = await blocks.updateOne({ _id }, touch, { upsert: true, session });
        if (matchedCount > 0) return false;
        await blocks.deleteOne({ _id }, { session });
      }
      return true;
    },
    /** Users whom a user blocks, newest first. */
    pageOf: (blockerId: string, range: Range) =>
      pageIn(blocks, { blockerId }, { createdAt: -1, _id: 1 }, range),
  };
}
