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

export type SearchSource = {
  collection: { in<Found extends Document>(db: Db): Collection<Found> };
  /** The field with the name or title. */
  text: string;
  /** Which documents are found at all. */
  only: Readonly<Record<string, string | boolean>>;
};

const keyOf = ({ text, only }: Pick<SearchSource, "text" | "only">): Record<string, 1 | -1> => ({
  ...{ "search.keys": 1, ...ORDER, [text]: 1 },
  ...Object.fromEntries(Object.keys(only).map((field) => [field, 1 as const])),
});

/** With all that a lookup reads, so that none reads a document: those are all over the disk, and keys of one range side by side. */
export const searchIndex = (of: Pick<SearchSource, "text" | "only">): IndexDescription => ({
  key: keyOf(of),
  ...(Object.keys(of.only).length > 0 ? { partialFilterExpression: of.only } : {}),
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

/** Documents with any of the keys, those with most weight first. */
export type Lookup = { anyOf: readonly string[]; limit: number };
export type Proposed = { _id: string; text: string; weight: number };

/** A lookup takes a millisecond. */
const LONGEST_MS = 1_000;

export async function lookUp(db: Db, source: SearchSource, { anyOf, limit }: Lookup): Promise<Proposed[]> {
  if (anyOf.length === 0) return [];
  const [key] = anyOf;
  const { collection, text, only } = source;
  const found = collection
    .in<Proposed>(db)
    .aggregate<Proposed>(
      [
        { $match: { ...only, "search.keys": anyOf.length === 1 ? key : { $in: anyOf } } },
        { $sort: ORDER },
        { $limit: limit },
        { $project: { text: `$${text}`, weight: { $ifNull: ["$search.weight", 0] } } },
      ],
      { hint: keyOf(source), maxTimeMS: LONGEST_MS, ...inOneReply(limit) },
    );
  return found.toArray();
}
