import type { AnyBulkWriteOperation, Db } from "mongodb";
import { renewedTag } from "../../../base/texts/tag.ts";
import { streamsCollection } from "../channels/streams.ts";
import { inOneReply } from "../driver/bulk.ts";
import { categoriesCollection } from "./categories.ts";

type Tagged = { _id: string; tags?: string[] };

const COLLECTIONS = [
  (db: Db) => streamsCollection.in<Tagged>(db),
  (db: Db) => categoriesCollection.in<Tagged>(db),
];
const PAGE = 500;

/** The current collection, and the last id in it. */
export type RenewalPosition = { part: number; after: string };
type Renewed = { looked: number; renewed: number; next: RenewalPosition | null };

export const FIRST_TAGS: RenewalPosition = { part: 0, after: "" };

/**
 * Stores a page of tags as people see them: "İstanbul", its decomposed form and that with spaces around it are one tag. `next` is
 * null at the end. Of a document whose tags are changed meanwhile, that change wins.
 */
export async function renewTags(
  db: Db,
  { part, after }: RenewalPosition,
  limit: number = PAGE,
): Promise<Renewed> {
  const tagged = COLLECTIONS[part]?.(db);
  if (tagged === undefined) return { looked: 0, renewed: 0, next: null };
  const page = await tagged
    .find({ _id: { $gt: after } }, inOneReply(limit))
    .sort({ _id: 1 })
    .limit(limit)
    .project<Tagged>({ tags: 1 })
    .toArray();
  const writes = page.flatMap(({ _id, tags = [] }): AnyBulkWriteOperation<Tagged>[] => {
    const seen = [...new Set(tags.map(renewedTag))];
    if (seen.length === tags.length && seen.every((tag, i) => tag === tags[i])) return [];
    return [{ updateOne: { filter: { _id, tags }, update: { $set: { tags: seen } } } }];
  });
  if (writes.length > 0) await tagged.bulkWrite(writes, { ordered: false });
  const last = page.length < limit ? undefined : page.at(-1)?._id;
  const next = last === undefined ? { part: part + 1, after: "" } : { part, after: last };
  return { looked: page.length, renewed: writes.length, next: next.part < COLLECTIONS.length ? next : null };
}
