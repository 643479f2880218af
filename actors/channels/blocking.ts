import type { ClientSession } from "mongodb";
import type { Origin } from "../../base/audit.ts";
import { ServiceError } from "../../contract/errors.ts";
import { blocksIn } from "../../store/mongo/channels/blocks.ts";
import { hostingIn } from "../../store/mongo/channels/hosting.ts";
import { whispersIn } from "../../store/mongo/chat/whispers.ts";
import type { Range } from "../../store/mongo/driver/page.ts";
import { inRetriedTransaction } from "../../store/mongo/driver/retried-transaction.ts";
import type { FeatureDeps } from "../features/deps.ts";
import { hostingRows, hostingSource } from "./host-view.ts";

type By = { userId: string; origin: Origin };

type Deps = Pick<
  FeatureDeps,
  "mongo" | "follows" | "streams" | "directory" | "rooms" | "outbox" | "clock"
> & {
  /** Takes back the role and the badges that an owner has given a user; returns what is called after the commit. */
  membershipEnd: {
    endIn(
      member: { ownerId: string; userId: string },
      by: By,
      session: ClientSession,
    ): Promise<(() => Promise<void>) | null>;
  };
};

export function createBlocking(deps: Deps) {
  const { mongo, follows, streams, directory, rooms, outbox, membershipEnd, clock } = deps;
  const blocks = blocksIn(mongo.db);
  const hosting = hostingIn(mongo.db);
  const whispers = whispersIn(mongo.db);

  /** The owner's room looks up anew whether the user follows and may write. */
  async function forgetMember(ownerId: string, userId: string): Promise<void> {
    const stream = await streams.findByUser(ownerId);
    if (stream) await rooms.forgetMember(stream._id, userId);
  }

  return {
    /**
     * Ends follows and hosting between the two in both directions, and the roles and badges that they have in each other's channel,
     * prevents new ones, and hides their whispers from the blocker. Idempotent. Throws `self_target`, `not_found`.
     */
    async block(by: By, blockedId: string): Promise<void> {
      const blockerId = by.userId;
      if (blockerId === blockedId) throw new ServiceError("self_target");
      await directory.requireUser(blockedId);
      const createdAt = new Date(clock.now());
      const { ended, memberships } = await inRetriedTransaction(mongo.client, async (session) => {
        await blocks.add({ blockerId, blockedId, createdAt }, session);
        await follows.end(blockerId, blockedId, createdAt, session);
        await follows.end(blockedId, blockerId, createdAt, session);
        await whispers.hide(blockerId, blockedId, session);
        const ended = [
          await hosting.end(blockerId, { targetId: blockedId }, session),
          await hosting.end(blockedId, { targetId: blockerId }, session),
        ].filter((change) => change !== null);
        for (const change of ended) await outbox.write(hostingRows(change, null), session);
        const memberships = [
          await membershipEnd.endIn({ ownerId: blockerId, userId: blockedId }, by, session),
          await membershipEnd.endIn({ ownerId: blockedId, userId: blockerId }, by, session),
        ];
        return { ended, memberships };
      });
      for (const afterCommit of memberships) await afterCommit?.();
      for (const { userId } of ended) await outbox.publish(hostingSource(userId));
      await forgetMember(blockerId, blockedId);
      await forgetMember(blockedId, blockerId);
    },

    /** Does nothing without a block; follows that the block ended stay ended. Throws `not_found` for an unknown user. */
    async unblock(blockerId: string, blockedId: string): Promise<void> {
      await directory.requireUser(blockedId);
      await inRetriedTransaction(mongo.client, async (session) => {
        await blocks.remove(blockerId, blockedId, session);
        await whispers.unhide(blockerId, blockedId, session);
      });
      await forgetMember(blockerId, blockedId);
    },

    isBlocking: async (blockerId: string, otherId: string): Promise<boolean> =>
      (await blocks.blockedBy(blockerId, [otherId])).size > 0,

    /** The users that somebody blocks, newest block first. */
    async page(blockerId: string, range: Range) {
      const { items, ...page } = await blocks.pageOf(blockerId, range);
      const users = await directory.usersInOrder(items.map(({ blockedId }) => blockedId));
      // Accounts that are being erased are counted but not shown.
      return { ...page, items: users.filter(({ status }) => status !== "deleted") };
    },
  };
}
