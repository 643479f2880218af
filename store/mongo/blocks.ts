import type { ClientSession, Db } from "mongodb";
import { byIds } from "./bulk.ts";
import { defineCollection } from "./collection.ts";
import { pageIn } from "./page.ts";

/** `_id` is "blocker:blocked": blocking twice is one block. */
export type BlockDoc = { _id: string; blockerId: string; blockedId: string; createdAt: Date };

export const blocksCollection = defineCollection<BlockDoc>("blocks", {
  personal: {
    erase: { blockerId: "delete", blockedId: "delete", _id: { with: "blockerId" } },
    exports: [{ by: "blockerId", shows: ["blockedId", "createdAt"] }],
  },

  indexes: [{ key: { blockerId: 1, createdAt: -1, _id: 1 } }], // the page
});

const idOf = (blockerId: string, blockedId: string) => `${blockerId}:${blockedId}`;

export function blocksIn(db: Db) {
  const blocks = blocksCollection.in(db);
  return {
    /** A block that is there stays as it is. */
    async add({ blockerId, blockedId, createdAt }: Omit<BlockDoc, "_id">, session: ClientSession) {
      const filter = { _id: idOf(blockerId, blockedId) };
      await blocks.updateOne(
        filter,
        { $setOnInsert: { blockerId, blockedId, createdAt } },
        { upsert: true, session },
      );
    },
    remove: async (blockerId: string, blockedId: string, session: ClientSession) =>
      void (await blocks.deleteOne({ _id: idOf(blockerId, blockedId) }, { session })),
    /** Which of `otherIds` have blocked the user or are blocked by it. */
    async eitherWay(
      userId: string,
      otherIds: readonly string[],
      session?: ClientSession,
    ): Promise<Set<string>> {
      const ids = otherIds.flatMap((other) => [idOf(userId, other), idOf(other, userId)]);
      const found = await byIds(blocks, ids, session);
      return new Set(found.map(({ blockerId, blockedId }) => (blockerId === userId ? blockedId : blockerId)));
    },
    /** Those pairs of which neither blocks the other. */
    async withoutBlocks<Pair extends { one: string; other: string }>(
      pairs: readonly Pair[],
    ): Promise<Pair[]> {
      const ids = new Set(pairs.flatMap(({ one, other }) => [idOf(one, other), idOf(other, one)]));
      const found = new Set((await byIds(blocks, [...ids])).map(({ _id }) => _id));
      return pairs.filter(({ one, other }) => !found.has(idOf(one, other)) && !found.has(idOf(other, one)));
    },
    /**
     * Whether neither has blocked the other, for what a block would end. A block that is being written elsewhere meets this
     * write at its key: whichever is later is decided again with the other in sight.
     */
    async lockIfNeitherBlocks(one: string, other: string, session: ClientSession): Promise<boolean> {
      const keys = [idOf(one, other), idOf(other, one)].map((_id) => ({ _id }));
      for (const key of keys) {
        const touch = { $setOnInsert: { blockerId: "" } };
        const { matchedCount } = await blocks.updateOne(key, touch, { upsert: true, session });
        if (matchedCount > 0) return false;
        await blocks.deleteOne(key, { session });
      }
      return true;
    },
    /** Whom a user blocks, the newest first. */
    pageOf: (blockerId: string, skip: number, limit: number) =>
      pageIn(blocks, { blockerId }, { createdAt: -1, _id: 1 }, { skip, limit }),
  };
}
