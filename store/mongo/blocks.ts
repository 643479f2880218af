import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";
import { byIds } from "./many.ts";
import { pageIn } from "./page.ts";

/** `_id` is "blocker:blocked": blocking twice is one block. */
export type BlockDoc = { _id: string; blockerId: string; blockedId: string; createdAt: Date };

export const blocksCollection = defineCollection<BlockDoc>("blocks", {
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
    remove: async (blockerId: string, blockedId: string) =>
      void (await blocks.deleteOne({ _id: idOf(blockerId, blockedId) })),
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
    /** Whom a user blocks, the newest first. */
    pageOf: (blockerId: string, skip: number, limit: number) =>
      pageIn(blocks, { blockerId }, { createdAt: -1, _id: 1 }, { skip, limit }),
  };
}
