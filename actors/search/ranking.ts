import type { Db } from "mongodb";
import { type Lookup, lookUp, type SearchSource } from "../../store/mongo/searchable.ts";
import type { SearchKind } from "../../store/search/keys.ts";
import { MATCHES, type Match, matchOf } from "../../store/search/match.ts";
import type { SearchText } from "../../store/search/words.ts";
import { lookupsOf } from "./lookups.ts";

/** Where so many begin so, or one is called so, nobody has mistyped. */
const ENOUGH = 5;

export type Rank = { match: Match; weight: number };
export type Ranked = Rank & { id: string; text: string };

/** The best matches first, of equals those with most weight; always the same order for the same data. */
export function inOrder<T extends Rank & { id: string }>(found: readonly T[]): T[] {
  return [...found].sort((a, b) => compared(a, b) || (a.id < b.id ? -1 : 1));
}

export const compared = (a: Rank, b: Rank): number =>
  MATCHES.indexOf(a.match) - MATCHES.indexOf(b.match) || b.weight - a.weight;

/** What is found of one kind: an index proposes by keys, which stand for more than was typed; the names and titles decide. */
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
  return inOrder([...found.values()]).slice(0, limit);
}
