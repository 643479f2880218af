import type { Collection, Db, Document, IndexDescription } from "mongodb";
import { keysOf, type SearchKind } from "../../../base/search/keys.ts";
import { inOneReply } from "./bulk.ts";

/** Embedded search data of a document: updated in the same write as its name or title. */
export type Searchable = {
  keys: string[];
  /** Ranks documents with the same key. It is coarser than the count that it comes from, so that the index changes rarely. */
  weight: number;
};

const ORDER = { "search.weight": -1, _id: 1 } as const;

export type SearchSource = {
  collection: { in<Found extends Document>(db: Db): Collection<Found> };
  /** The field with the name or title. */
  text: string;
  /** A filter for searchable documents. */
  only: Readonly<Record<string, string | boolean>>;
};

const keyOf = ({ text, only }: Pick<SearchSource, "text" | "only">): Record<string, 1 | -1> => ({
  "search.keys": 1,
  ...ORDER,
  [text]: 1,
  ...Object.fromEntries(Object.keys(only).map((field) => [field, 1 as const])),
});

/** Covers lookups completely: documents are scattered over the disk, while the keys of one range are adjacent. */
export const searchIndex = (of: Pick<SearchSource, "text" | "only">): IndexDescription => ({
  key: keyOf(of),
  ...(Object.keys(of.only).length > 0 ? { partialFilterExpression: of.only } : {}),
});

/** From followers, views or viewers, logarithmic: a step is about a fifth more; each of the first four counts as a step. */
export const weightOf = (count: number): number => Math.floor(4 * Math.log2(1 + Math.max(0, count)));

/** The same in an aggregation expression. */
export const weightOfExpression = (count: string) => ({
  $toInt: { $floor: { $multiply: [4, { $log: [{ $add: [1, { $max: [0, count] }] }, 2] }] } },
});

export const searchableBy = (text: string, kind: SearchKind, count: number): Searchable => ({
  keys: keysOf(text, kind),
  weight: weightOf(count),
});

/** Documents with any of the keys, highest weight first. */
export type Lookup = { anyOf: readonly string[]; limit: number };
type Proposed = { _id: string; text: string; weight: number };

/** Time limit; a lookup takes a millisecond. */
const TIMEOUT_MS = 1_000;

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
      { hint: keyOf(source), maxTimeMS: TIMEOUT_MS, ...inOneReply(limit) },
    );
  return found.toArray();
}
