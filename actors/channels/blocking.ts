import { ServiceError } from "../../specs/contract/errors.ts";
import { blocksIn } from "../../store/mongo/blocks.ts";
import { hostingIn } from "../../store/mongo/hosting.ts";
import { inRetriedTransaction } from "../../store/mongo/retried-transaction.ts";
import { whispersIn } from "../../store/mongo/whispers.ts";
import type { FeatureDeps } from "../features/deps.ts";
import { hostingRows, hostingSource } from "./host-view.ts";

export function createBlocking({ mongo, follows, streams, identity, rooms, outbox, clock }: FeatureDeps) {
  const blocks = blocksIn(mongo.db);
  const hosting = hostingIn(mongo.db);
  const whispers = whispersIn(mongo.db);

  return {
    /**
     * Ends follows and hosting between the two in both directions, prevents new ones, and hides their whispers from the blocker.
     * Idempotent. Throws `self_target`, `not_found`.
     */
    async block(blockerId: string, blockedId: string): Promise<void> {
      if (blockerId === blockedId) throw new ServiceError("self_target");
      await identity.requireUser(blockedId);
      const createdAt = new Date(clock.now());
      const ended = await inRetriedTransaction(mongo.client, async (session) => {
        await blocks.add({ blockerId, blockedId, createdAt }, session);
        await follows.end(blockerId, blockedId, createdAt, session);
        await follows.end(blockedId, blockerId, createdAt, session);
        await whispers.hide(blockerId, blockedId, session);
        const ended = [
          await hosting.end(blockerId, { targetId: blockedId }, session),
          await hosting.end(blockedId, { targetId: blockerId }, session),
        ].filter((change) => change !== null);
        for (const change of ended) await outbox.write(hostingRows(change, null), session);
        return ended;
      });
      for (const { userId } of ended) await outbox.publish(hostingSource(userId));
      // Invalidates the cached follow in rooms that are for followers only.
      for (const [from, to] of [[blockerId, blockedId] as const, [blockedId, blockerId] as const]) {
        const stream = await streams.findByUser(to);
        if (stream) await rooms.forgetFollow(stream._id, from);
      }
    },

    /** Does nothing without a block; follows that the block ended stay ended. Throws `not_found` for an unknown user. */
    async unblock(blockerId: string, blockedId: string): Promise<void> {
      await identity.requireUser(blockedId);
      await inRetriedTransaction(mongo.client, async (session) => {
        await blocks.remove(blockerId, blockedId, session);
        await whispers.unhide(blockerId, blockedId, session);
      });
    },

    /** The users that somebody blocks, newest block first. */
    async page(blockerId: string, skip: number, limit: number) {
      const { items, total } = await blocks.pageOf(blockerId, skip, limit);
      // A user is missing only while the account is being erased.
      return { items: await identity.usersInOrder(items.map(({ blockedId }) => blockedId)), total };
    },
  };
}
