/**
 * Compares follower counts with the follows, and corrects wrong ones, while follows go on:
 * 1. both are read from one snapshot; the difference found then stays constant, since a follow changes both;
 * 2. it is added to the channel's correction if that is unchanged since it was read, so that of two concurrent checks only one
 *    corrects.
 */
import type { AnyBulkWriteOperation, ClientSession, Collection, Db } from "mongodb";
import { inOneReply } from "../driver/bulk.ts";
import { correctionOf, type FollowerCountDoc, followerCountsCollection } from "./follower-counts.ts";
import { type FollowDoc, followsCollection } from "./follows.ts";

export type CheckPage = {
  /** How many follows, and how many shards of counts, one read returns: more than the shards of one channel. */
  rows: number;
  /** How many follows one read counts of a channel that has more than `rows`. */
  rowsOfOne: number;
};

const PAGE: CheckPage = { rows: 2_000, rowsOfOne: 100_000 };

type Checked = {
  channels: number;
  corrected: number;
  /** The cursor for the next call; null at the end. */
  after: string | null;
};

/** A channel's sum in one read, and the number of documents that it was made of. */
type Tally = { _id: string; sum: number; read: number };
type Deviation = { followingId: string; by: number };

const AT_ONE_MOMENT = { readConcern: { level: "snapshot" } } as const;

/** Checks the next channels after this one ("" = from the first), ordered by id. Safe to repeat, and to run concurrently. */
export async function checkFollowerCounts(db: Db, after: string, page = PAGE): Promise<Checked> {
  const follows = followsCollection.in(db);
  const counts = followerCountsCollection.in(db);
  const session = db.client.startSession({ snapshot: true });
  try {
    const rows = await talliesAfter(follows, after, page.rows, { $sum: 1 }, session);
    const counted = await talliesAfter(counts, after, page.rows, { $sum: "$count" }, session);
    const cut = earlier(cutOff(rows, page.rows), cutOff(counted, page.rows));
    const isWhole = ({ _id }: Tally) => cut === null || _id < cut;
    const offBy = new Map(rows.filter(isWhole).map(({ _id, sum }) => [_id, sum]));
    for (const { _id, sum } of counted.filter(isWhole)) offBy.set(_id, (offBy.get(_id) ?? 0) - sum);
    // A channel that fills a whole page.
    if (offBy.size === 0 && cut !== null) {
      const sum = counted.find(({ _id }) => _id === cut)?.sum ?? 0;
      offBy.set(cut, (await countRows(follows, cut, page.rowsOfOne, session)) - sum);
    }
    const off = [...offBy].flatMap(([followingId, by]) => (by === 0 ? [] : [{ followingId, by }]));
    const last = [...offBy.keys()].reduce((a, b) => (a > b ? a : b), after);
    const corrected = await correct(counts, off, session);
    return { channels: offBy.size, corrected, after: cut === null ? null : last };
  } finally {
    await session.endSession();
  }
}

function talliesAfter<T extends { followingId: string }>(
  collection: Collection<T>,
  after: string,
  limit: number,
  sum: object,
  session: ClientSession,
): Promise<Tally[]> {
  return collection
    .aggregate<Tally>(
      [
        { $match: { followingId: { $gt: after } } },
        { $sort: { followingId: 1 } },
        { $limit: limit },
        { $group: { _id: "$followingId", sum, read: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ],
      { session, ...AT_ONE_MOMENT, ...inOneReply(limit) },
    )
    .toArray();
}

/** The last channel of a full page, which may be incomplete; null when nothing follows after the page. */
function cutOff(tallies: Tally[], limit: number): string | null {
  const read = tallies.reduce((sum, tally) => sum + tally.read, 0);
  return read < limit ? null : (tallies.at(-1)?._id ?? null);
}

const earlier = (a: string | null, b: string | null) => (a === null || (b !== null && b < a) ? b : a);

/** Counts in ranges, so that no read takes long; rows with the same `createdAt` are never split. */
async function countRows(
  follows: Collection<FollowDoc>,
  followingId: string,
  page: number,
  session: ClientSession,
): Promise<number> {
  const options = { session, ...AT_ONE_MOMENT };
  let count = 0;
  for (let before: Date | null = null; ; ) {
    const rest: { $lt?: Date } = before === null ? {} : { $lt: before };
    const range = (createdAt: object) =>
      Object.keys(createdAt).length === 0 ? { followingId } : { followingId, createdAt };
    const edge: Pick<FollowDoc, "createdAt"> | null = await follows.findOne(range(rest), {
      ...options,
      projection: { _id: 0, createdAt: 1 },
      sort: { createdAt: -1 },
      skip: page - 1,
    });
    count += await follows.countDocuments(range(edge ? { ...rest, $gte: edge.createdAt } : rest), options);
    if (edge === null) return count;
    before = edge.createdAt;
  }
}

/** Returns how many were corrected; one that another check has corrected in the meantime is left as it is. */
async function correct(
  counts: Collection<FollowerCountDoc>,
  off: Deviation[],
  session: ClientSession,
): Promise<number> {
  if (off.length === 0) return 0;
  const ids = off.map(({ followingId }) => correctionOf(followingId));
  const read = await counts
    .find({ _id: { $in: ids } }, { session, ...AT_ONE_MOMENT, ...inOneReply(ids.length) })
    .toArray();
  const found = new Map(read.map(({ followingId, count }) => [followingId, count]));
  const changed = { $currentDate: { changedAt: true as const } };
  const writes = off.map(({ followingId, by }): AnyBulkWriteOperation<FollowerCountDoc> => {
    const _id = correctionOf(followingId);
    const before = found.get(followingId);
    return before === undefined
      ? {
          updateOne: {
            filter: { _id },
            update: { $setOnInsert: { followingId, count: by }, ...changed },
            upsert: true,
          },
        }
      : {
          updateOne: { filter: { _id, count: before }, update: { $set: { count: before + by }, ...changed } },
        };
  });
  // Outside the snapshot session, which reads the past.
  const { modifiedCount, upsertedCount } = await counts.bulkWrite(writes, { ordered: false });
  return modifiedCount + upsertedCount;
}
