import type { Rooms } from "../../realtime/rooms/rooms.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { blocksIn } from "../../store/mongo/blocks.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import type { Follows } from "../../store/mongo/follows.ts";
import { hostingIn } from "../../store/mongo/hosting.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { whispersIn } from "../../store/mongo/whispers.ts";
import { retryingConflicts } from "../host/conflict.ts";
import type { Outbox } from "../host/outbox.ts";
import type { Identity } from "../identity/identity.ts";
import { hostingRows, hostingSource } from "./host-view.ts";

type Deps = {
  mongo: Mongo;
  follows: Pick<Follows, "end">;
  streams: Pick<Streams, "findByUser">;
  identity: Pick<Identity, "requireUser" | "usersByIds">;
  rooms: Pick<Rooms, "forgetFollow">;
  outbox: Pick<Outbox, "write" | "publish">;
  clock: Clock;
};

export function createBlocking({ mongo, follows, streams, identity, rooms, outbox, clock }: Deps) {
  const blocks = blocksIn(mongo.db);
  const hosting = hostingIn(mongo.db);
  const whispers = whispersIn(mongo.db);

  return {
    /** Ends follows and hosting between the two, both ways, lets none begin, and hides their whispers from the blocker. Blocking twice is one block. Throws `self_target`, `not_found`. */
    async block(blockerId: string, blockedId: string): Promise<void> {
      if (blockerId === blockedId) throw new ServiceError("self_target");
      await identity.requireUser(blockedId);
      const createdAt = new Date(clock.now());
      const ended = await retryingConflicts(() =>
        inTransaction(mongo.client, async (session) => {
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
        }),
      );
      for (const { userId } of ended) await outbox.publish(hostingSource(userId));
      // Rooms for followers look again.
      for (const [from, to] of [[blockerId, blockedId] as const, [blockedId, blockerId] as const]) {
        const stream = await streams.findByUser(to);
        if (stream) await rooms.forgetFollow(stream._id, from);
      }
    },

    /** Without a block nothing happens; follows that it ended don't come back. Throws `not_found` for an unknown user. */
    async unblock(blockerId: string, blockedId: string): Promise<void> {
      await identity.requireUser(blockedId);
      await inTransaction(mongo.client, async (session) => {
        await blocks.remove(blockerId, blockedId, session);
        await whispers.unhide(blockerId, blockedId, session);
      });
    },

    /** Users whom somebody blocks, the newest block first. */
    async page(blockerId: string, skip: number, limit: number) {
      const { items, total } = await blocks.pageOf(blockerId, skip, limit);
      const users = await identity.usersByIds(items.map(({ blockedId }) => blockedId));
      // One is missing only while an account is being erased.
      return { items: items.flatMap(({ blockedId }) => users.get(blockedId) ?? []), total };
    },
  };
}

export type Blocking = ReturnType<typeof createBlocking>;
