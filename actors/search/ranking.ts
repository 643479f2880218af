import type { Db, Document } from "mongodb";
import { type Lookup, lookUp, type SearchSource } from "../../store/mongo/searchable.ts";
import type { SearchKind } from "../../store/search/keys.ts";
import { MATCHES, type Match, matchOf } from "../../store/search/match.ts";
import type { SearchText } from "../../store/search/words.ts";
import { lookupsOf } from "./lookups.ts";

/** Where so many begin so, or one is called so, nobody has mistyped. */
const ENOUGH = 5;

type Found = { _id: string; search: { weight?: number } };
export type Ranked<T> = { item: T; match: Match; weight: number };

export type Where<T> = {
  source: SearchSource;
  kind: SearchKind;
  /** The name or title. */
  textOf: (item: T) => string;
};

/** The best matches first, of equals those with most weight; always the same order for the same data. */
export function inOrder<T extends { _id: string }>(found: readonly Ranked<T>[]): Ranked<T>[] {
  return found.toSorted(
    (a, b) =>
      MATCHES.indexOf(a.match) - MATCHES.indexOf(b.match) ||
      b.weight - a.weight ||
      (a.item._id < b.item._id ? -1 : 1),
  );
}

/** What is found of one kind: the index proposes, and what a document is called now decides. */
export async function rankedIn<T extends Document & Found>(
  db: Db,
  { source, kind, textOf }: Where<T>,
  query: SearchText,
  limit: number,
): Promise<Ranked<T>[]> {
  const { plain, typos } = lookupsOf(query, kind, limit);
  const found = new Map<string, Ranked<T>>();

  async function take(lookups: readonly Lookup[]): Promise<void> {
    const proposed = await Promise.all(lookups.map((lookup) => lookUp<T>(db, source, lookup)));
    for (const item of proposed.flat()) {
      if (found.has(item._id)) continue;
      const match = matchOf(query, textOf(item));
      if (match !== null) found.set(item._id, { item, match, weight: item.search.weight ?? 0 });
    }
  }

  await take(plain);
  const isExact = [...found.values()].some(({ match }) => match === "exact");
  if (!isExact && found.size < ENOUGH) await take(typos);
  return inOrder([...found.values()]).slice(0, limit);
}
