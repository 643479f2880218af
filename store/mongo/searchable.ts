import type { Collection, Db, Document, IndexDescription } from "mongodb";
import { keysOf, type SearchKind } from "../search/keys.ts";
import { inOneReply } from "./bulk.ts";

/** What a document is found by, in it: it changes in the same write as its name or title. */
export type Searchable = {
  keys: string[];
  /** Of those that a key finds, who comes first; never the number itself, so that the index moves seldom. */
  weight: number;
};

const ORDER = { "search.weight": -1, _id: 1 } as const;
const INDEX = { "search.keys": 1, ...ORDER } as const;

/** `only` are the documents that are found at all; lookups say the same. */
export const searchIndex = (only?: Document): IndexDescription => ({
  key: INDEX,
  ...(only ? { partialFilterExpression: only } : {}),
});

/** By followers, views or viewers: a step is about a fifth more, and every one counts among the first four. */
export const weightOf = (count: number): number => Math.floor(4 * Math.log2(1 + Math.max(0, count)));

/** For an update by aggregation. */
export const weightOfExpression = (count: string) => ({
  $toInt: { $floor: { $multiply: [4, { $log: [{ $add: [1, { $max: [0, count] }] }, 2] }] } },
});

export const searchableBy = (text: string, kind: SearchKind, count: number): Searchable => ({
  keys: keysOf(text, kind),
  weight: weightOf(count),
});

export type SearchSource = {
  collection: { in<Found extends Document>(db: Db): Collection<Found> };
  /** As its index is partial. */
  only: Document;
  /** A projection, beside the weight. */
  shows: Document;
};

/** Documents with any of the keys, those with most weight first; `others`: among the first of them those with all these too. */
export type Lookup = { anyOf: readonly string[]; others: readonly string[]; limit: number };

/** So many are looked at for those that have the other keys too: a word that a million have isn't gone through. */
const LOOKED_AT = 200;
/** A lookup takes a millisecond or two. */
const LONGEST_MS = 1_000;

export async function lookUp<Found extends Document>(
  db: Db,
  { collection, only, shows }: SearchSource,
  { anyOf, others, limit }: Lookup,
): Promise<Found[]> {
  if (anyOf.length === 0) return [];
  const [key] = anyOf;
  const narrowed =
    others.length === 0 ? [] : [{ $match: { "search.keys": { $all: others } } }, { $limit: limit }];
  const pipeline = [
    { $match: { ...only, "search.keys": anyOf.length === 1 ? key : { $in: anyOf } } },
    { $sort: ORDER },
    { $limit: others.length === 0 ? limit : LOOKED_AT },
    ...narrowed,
    { $project: { ...shows, "search.weight": 1 } },
  ];
  const options = { hint: INDEX, maxTimeMS: LONGEST_MS, ...inOneReply(limit) };
  return collection.in<Found>(db).aggregate<Found>(pipeline, options).toArray();
}
