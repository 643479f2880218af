import type { Db } from "mongodb";
import { processClock } from "../../../../base/clock.ts";
import { newId } from "../../../../base/ids.ts";
import { type BlockDoc, blocksCollection } from "../../channels/blocks.ts";
import { channelRolesCollection, roleIdOf } from "../../channels/channel-roles.ts";
import { streamsCollection } from "../../channels/streams.ts";
import { badgeGrantsCollection } from "../../chat/badge-grants.ts";
import { inRetriedTransaction } from "../../driver/retried-transaction.ts";
import { outboxCollection } from "../../host/outbox.ts";
import type { RoomStateChange } from "../../host/room-state-change.ts";
import type { Migration } from "./migration.ts";

const BATCH = 500;

type Pair = Pick<BlockDoc, "blockerId" | "blockedId">;
type Member = { ownerId: string; streamId: string; userId: string };

/**
 * A block ends the roles and badges that the two have in each other's channel; those beside a block from before that end here.
 * Rooms that are loaded are told by the outbox, as by each change of a channel, and lose the role too.
 */
export const membershipsAcrossBlocks: Migration = {
  number: 10,
  name: "memberships across blocks",
  contracts: false,
  async run(db) {
    let pairs: Pair[] = [];
    const blocks = blocksCollection.in(db).find().project<Pair>({ blockerId: 1, blockedId: 1 });
    for await (const pair of blocks) {
      pairs.push(pair);
      if (pairs.length < BATCH) continue;
      await endBetween(db, pairs);
      pairs = [];
    }
    if (pairs.length > 0) await endBetween(db, pairs);
  },
};

async function endBetween(db: Db, pairs: readonly Pair[]): Promise<void> {
  for (const member of await membersAmong(db, pairs)) await end(db, member);
}

/** Those of the pairs, either way round, who have a role or a badge in the other's channel. */
async function membersAmong(db: Db, pairs: readonly Pair[]): Promise<Member[]> {
  const ownerIds = [...new Set(pairs.flatMap(({ blockerId, blockedId }) => [blockerId, blockedId]))];
  const streams = await streamsCollection
    .in(db)
    .find({ userId: { $in: ownerIds } }, { projection: { userId: 1 } })
    .toArray();
  const streamOf = new Map(streams.map(({ _id, userId }) => [userId, _id]));
  const members = pairs
    .flatMap(({ blockerId, blockedId }) => [
      { ownerId: blockerId, userId: blockedId },
      { ownerId: blockedId, userId: blockerId },
    ])
    .flatMap(({ ownerId, userId }) => {
      const streamId = streamOf.get(ownerId);
      return streamId === undefined ? [] : [{ ownerId, streamId, userId }];
    });
  if (members.length === 0) return [];
  const roles = await channelRolesCollection
    .in(db)
    .find({ _id: { $in: members.map(({ streamId, userId }) => roleIdOf(streamId, userId)) } })
    .project<{ _id: string }>({ _id: 1 })
    .toArray();
  const grants = await badgeGrantsCollection
    .in(db)
    .find({ $or: members.map(({ ownerId: channelUserId, userId }) => ({ userId, channelUserId })) })
    .project<{ userId: string; channelUserId: string }>({ userId: 1, channelUserId: 1 })
    .toArray();
  const withRole = new Set(roles.map(({ _id }) => _id));
  const withBadge = new Set(grants.map(({ userId, channelUserId }) => `${channelUserId}:${userId}`));
  return members.filter(
    ({ ownerId, streamId, userId }) =>
      withRole.has(roleIdOf(streamId, userId)) || withBadge.has(`${ownerId}:${userId}`),
  );
}

async function end(db: Db, { ownerId, streamId, userId }: Member): Promise<void> {
  await inRetriedTransaction(db.client, async (session) => {
    // First of all, as each change of a channel: two of them conflict.
    const stream = await streamsCollection
      .in(db)
      .findOneAndUpdate(
        { _id: streamId },
        { $inc: { chatVersion: 1 } },
        { session, returnDocument: "after" },
      );
    if (!stream) return;
    await channelRolesCollection.in(db).deleteOne({ _id: roleIdOf(streamId, userId) }, { session });
    await badgeGrantsCollection.in(db).deleteMany({ userId, channelUserId: ownerId }, { session });
    const effects: RoomStateChange[] = [
      { kind: "role", userId, role: null },
      { kind: "member", userId },
    ];
    const row = {
      _id: newId(),
      actor: `moderation:${streamId}`,
      version: stream.chatVersion,
      n: 0,
      target: { room: streamId },
      type: "chat.config", // of the events that a room's log doesn't keep, the one for everybody
      data: { version: stream.chatConfigVersion ?? 0, changed: "badges" },
      effects,
      createdAt: new Date(processClock.now()),
      failures: 0,
      parkedAt: null,
    };
    await outboxCollection.in(db).insertOne(row, { session });
  });
}
