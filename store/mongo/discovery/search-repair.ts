/**
 * Compares search keys with the documents, in batches, and corrects differences: documents of releases without search, counts
 * that have changed, and everything when the rules for keys have changed. A write is skipped when the document has been changed
 * since it was read: then its keys are correct already.
 */
import type { AnyBulkWriteOperation, ClientSession, Collection, Db } from "mongodb";
import type { SearchKind } from "../../../base/search/keys.ts";
import { type UserDoc, usersCollection } from "../accounts/users.ts";
import { followerCountsIn } from "../channels/follower-counts.ts";
import { type StreamTitleDoc, streamTitleOf, streamTitlesCollection } from "../channels/stream-titles.ts";
import { type StreamDoc, streamsCollection } from "../channels/streams.ts";
import { inOneReply } from "../driver/bulk.ts";
import { type Searchable, searchableBy } from "../driver/searchable.ts";
import { type ClipDoc, clipsCollection } from "../live/clips.ts";
import { type CategoryDoc, categoriesCollection } from "./categories.ts";

/** The current collection, and the last id in it; null at the end. */
export type RepairPosition = { part: number; after: string };
type Repaired = { looked: number; repaired: number; next: RepairPosition | null };

type Part = (
  db: Db,
  after: string,
  limit: number,
) => Promise<Omit<Repaired, "next"> & { last: string | null }>;

const PARTS: readonly Part[] = [repairUsers, repairStreams, repairClips, repairCategories];
const PAGE = 500;

export const FIRST: RepairPosition = { part: 0, after: "" };

/** Repairs a batch from there on. Safe to repeat, and to run concurrently. */
export async function repairSearch(db: Db, { part, after }: RepairPosition, limit = PAGE): Promise<Repaired> {
  const repair = PARTS[part];
  if (!repair) return { looked: 0, repaired: 0, next: null };
  const { last, ...done } = await repair(db, after, limit);
  const next = last === null ? { part: part + 1, after: "" } : { part, after: last };
  return { ...done, next: next.part < PARTS.length ? next : null };
}

const isSame = (one: Searchable | undefined, other: Searchable): boolean =>
  one?.weight === other.weight &&
  one.keys?.length === other.keys.length &&
  one.keys.every((key, i) => key === other.keys[i]);

const lastOf = (page: readonly { _id: string }[], limit: number): string | null =>
  page.length < limit ? null : (page.at(-1)?._id ?? null);

async function write<Doc extends { _id: string }>(
  collection: Collection<Doc>,
  writes: AnyBulkWriteOperation<Doc>[],
): Promise<number> {
  if (writes.length === 0) return 0;
  const { modifiedCount, upsertedCount, deletedCount } = await collection.bulkWrite(writes, {
    ordered: false,
  });
  return modifiedCount + upsertedCount + deletedCount;
}

async function repairUsers(db: Db, after: string, limit: number) {
  const users = usersCollection.in(db);
  const page = await users
    .find({ _id: { $gt: after } }, inOneReply(limit))
    .sort({ _id: 1 })
    .limit(limit)
    .project<Pick<UserDoc, "_id" | "username" | "search">>({ username: 1, search: 1 })
    .toArray();
  const followers = await followerCountsIn(db).ofMany(page.map(({ _id }) => _id));
  const writes = page.flatMap(({ _id, username, search }): AnyBulkWriteOperation<UserDoc>[] => {
    const right = searchableBy(username, "name", followers.get(_id) ?? 0);
    if (isSame(search, right)) return [];
    return [{ updateOne: { filter: { _id, username }, update: { $set: { search: right } } } }];
  });
  return { looked: page.length, repaired: await write(users, writes), last: lastOf(page, limit) };
}

/** Reads titles and streams from one snapshot, so that a title without a stream is an orphan. */
async function repairStreams(db: Db, after: string, limit: number) {
  const titles = streamTitlesCollection.in(db);
  const session = db.client.startSession({ snapshot: true });
  try {
    const page = await streamsAfter(db, after, limit, session);
    const last = lastOf(page, limit);
    const range = { _id: { $gt: after, ...(last === null ? {} : { $lte: last }) } };
    const there = await titles.find(range, { session, ...inOneReply(2 * limit) }).toArray();
    const known = new Map(there.map((title) => [title._id, title]));
    const followers = await followerCountsIn(db).ofMany(page.map(({ userId }) => userId));
    const writes = page.flatMap((stream) => {
      const { _id, ...right } = streamTitleOf(stream, followers.get(stream.userId) ?? 0);
      const found = known.get(_id);
      known.delete(_id);
      return writesFor(_id, found, right);
    });
    for (const _id of known.keys()) writes.push({ deleteOne: { filter: { _id } } });
    return { looked: page.length, repaired: await write(titles, writes), last };
  } finally {
    await session.endSession();
  }
}

function writesFor(
  _id: string,
  found: StreamTitleDoc | undefined,
  right: Omit<StreamTitleDoc, "_id">,
): AnyBulkWriteOperation<StreamTitleDoc>[] {
  if (!found) return [{ updateOne: { filter: { _id }, update: { $setOnInsert: right }, upsert: true } }];
  const { name, isLive, search } = found;
  if (name === right.name && isLive === right.isLive && isSame(search, right.search)) return [];
  return [{ updateOne: { filter: { _id, name, isLive }, update: { $set: right } } }];
}

const streamsAfter = (db: Db, after: string, limit: number, session: ClientSession) =>
  streamsCollection
    .in(db)
    .find({ _id: { $gt: after } }, { session, ...inOneReply(limit) })
    .sort({ _id: 1 })
    .limit(limit)
    .project<Pick<StreamDoc, "_id" | "userId" | "name" | "isLive">>({ userId: 1, name: 1, isLive: 1 })
    .toArray();

async function repairClips(db: Db, after: string, limit: number) {
  const clips = clipsCollection.in(db);
  const page = await clips
    .find({ _id: { $gt: after } }, inOneReply(limit))
    .sort({ _id: 1 })
    .limit(limit)
    .project<Pick<ClipDoc, "_id" | "title" | "viewsCount" | "search">>({ title: 1, viewsCount: 1, search: 1 })
    .toArray();
  const writes = page.flatMap(({ _id, title, viewsCount, search }): AnyBulkWriteOperation<ClipDoc>[] =>
    different(search, title, "title", viewsCount).map((right) => ({
      updateOne: { filter: { _id, title }, update: { $set: { search: right } } },
    })),
  );
  return { looked: page.length, repaired: await write(clips, writes), last: lastOf(page, limit) };
}

async function repairCategories(db: Db, after: string, limit: number) {
  const categories = categoriesCollection.in(db);
  const page = await categories
    .find({ _id: { $gt: after } }, inOneReply(limit))
    .sort({ _id: 1 })
    .limit(limit)
    .toArray();
  const writes = page.flatMap(({ _id, name, liveViewers, search }): AnyBulkWriteOperation<CategoryDoc>[] =>
    different(search, name, "title", liveViewers ?? 0).map((right) => ({
      updateOne: { filter: { _id, name }, update: { $set: { search: right } } },
    })),
  );
  return { looked: page.length, repaired: await write(categories, writes), last: lastOf(page, limit) };
}

/** The correct value, unless it is already there. */
function different(
  search: Searchable | undefined,
  text: string,
  kind: SearchKind,
  count: number,
): Searchable[] {
  const right = searchableBy(text, kind, count);
  return isSame(search, right) ? [] : [right];
}
