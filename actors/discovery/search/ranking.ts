import type { Db } from "mongodb";
import type { SearchKind } from "../../../base/search/keys.ts";
import type { SearchText } from "../../../base/search/words.ts";
import { type Lookup, lookUp, type SearchSource } from "../../../store/mongo/driver/searchable.ts";
import { lookupsOf } from "./lookups.ts";
import { MATCHES, type Match, matchOf } from "./match.ts";

/** With this many matches, or an exact one, the query is assumed to have no typo. */
const ENOUGH = 5;

export type Rank = { match: Match; weight: number };
export type Ranked = Rank & { id: string; text: string };

/** Sorted by match, then by weight, then by id, so the order is deterministic. */
export function sortedByRank<T extends Rank & { id: string }>(found: readonly T[]): T[] {
  return [...found].sort((a, b) => compareRanks(a, b) || (a.id < b.id ? -1 : 1));
}

export const compareRanks = (a: Rank, b: Rank): number =>
  MATCHES.indexOf(a.match) - MATCHES.indexOf(b.match) || b.weight - a.weight;

/** Searches one kind: the index proposes candidates by keys, which are less exact than the query; their full text decides. */
export async function rankedIn(
  db: Db,
  { source, kind }: { source: SearchSource; kind: SearchKind },
  query: SearchText,
  limit: number,
): Promise<Ranked[]> {
  const { plain, typos } = lookupsOf(query, kind, limit);
  const found = new Map<string, Ranked>();

  async function take(lookups: readonly Lookup[]): Promise<void> {
    const proposed = await Promise.all(lookups.map((lookup) => lookUp(db, source, lookup)));
    for (const { _id: id, text, weight } of proposed.flat()) {
      if (found.has(id)) continue;
      const match = matchOf(query, text);
      if (match !== null) found.set(id, { id, text, match, weight });
    }
  }

  await take(plain);
  const isExact = [...found.values()].some(({ match }) => match === "exact");
  if (!isExact && found.size < ENOUGH) await take(typos);
  return sortedByRank([...found.values()]).slice(0, limit);
}
