import assert from "node:assert/strict";
import { createSearch, SEARCH_KINDS } from "../../../actors/discovery/search/search.ts";
import { processClock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { usersCollection, usersIn } from "../../../store/mongo/accounts/users.ts";
import { connectForMaintenance } from "../../../store/mongo/driver/connect.ts";
import { COLLECTIONS } from "../../../store/mongo/generated/collections.ts";
import { migrate } from "../../../store/mongo/schema/migrate.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { seededRandom } from "../../stress/seed.ts";
import { quietLog } from "../../support/quiet-log.ts";
import type { Stores } from "../../support/stores.ts";
import { inLargeStore, settled } from "../large-store.ts";
import { type Filled, fill } from "./fill.ts";
import { namesFrom } from "./names.ts";

type SearchesOptions = {
  seed: number;
  users: number;
  clips: number;
  categories: number;
  /** Of each kind. */
  queries: number;
  p99Ms: number;
};

const LIMIT = 20;
/** Minimum hits of a hundred names with one wrong letter. */
const LEAST_FOUND = 99;
const SEARCHED_IN = ["users", "stream_titles", "clips", "categories"];

type Kind = { name: string; query: () => string };

/**
 * Searches of all four kinds among many names, titles, clips and categories, each kind of query separately: none is too slow; a
 * name is found by itself and with one error; the first results for a letter are those with the most followers. Throws otherwise.
 */
export async function runSearches(options: SearchesOptions, print: Print): Promise<Figures> {
  return inLargeStore("search", (stores) => searchIn(stores, options, print));
}

async function searchIn(stores: Stores, options: SearchesOptions, print: Print): Promise<Figures> {
  const { users, queries, p99Ms } = options;
  const random = seededRandom(options.seed);
  const figures = await given(stores, options, { random, print });
  const { filled } = figures;
  const search = createSearch({
    mongo: stores.mongo,
    directory: {
      async usersByIds(ids: string[]) {
        const found = await usersIn(stores.mongo.db).findManyPublic(ids);
        return new Map(found.map((user) => [user._id, user]));
      },
    },
  });
  const any = <T>(all: readonly T[]): T => {
    const found = all[Math.floor(random() * all.length)];
    if (found === undefined) throw new Error("there is nothing to pick from");
    return found;
  };
  const begin = (text: string) => text.slice(0, 2 + Math.floor(random() * (text.length - 2)));
  const wrong = (text: string) => {
    const at = 1 + Math.floor(random() * (text.length - 2));
    return `${text.slice(0, at)}q${text.slice(at + 1)}`;
  };
  const kinds: Kind[] = [
    { name: "exact", query: () => any(filled.names) },
    { name: "prefix", query: () => begin(any(filled.names)) },
    { name: "title", query: () => any(filled.titles) },
    { name: "typo", query: () => wrong(any(filled.names)) },
    { name: "titleTypo", query: () => wrong(any(filled.titles)) },
    { name: "letter", query: () => any([..."abcdefghijklmnopqrstuvwxyz0123456789"]) },
    { name: "popular", query: () => any(["gaming", "live", "the official", "just chatting live gaming"]) },
    { name: "nothing", query: () => `zzqxj${Math.floor(random() * 1e9)}` },
    { name: "hostile", query: () => any(HOSTILE) },
  ];
  const taken: Figures = { users, fillSeconds: figures.seconds };
  const timed = async (query: string) => {
    const startedAt = performance.now();
    const found = await search(query, { kinds: SEARCH_KINDS, limit: LIMIT, viewerId: newId() });
    return { found, ms: performance.now() - startedAt };
  };
  await settled(stores);
  for (const { query } of kinds) for (let n = 0; n < 20; n++) await timed(query());
  for (const { name, query } of kinds) {
    const times: number[] = [];
    let found = 0;
    for (let n = 0; n < queries; n++) {
      const answer = await timed(query());
      times.push(answer.ms);
      if (Object.values(answer.found).some((items) => items.length > 0)) found++;
    }
    taken[`${name}P50Ms`] = percentile(times, 0.5);
    taken[`${name}P99Ms`] = percentile(times, 0.99);
    print(
      `${name}: p50 ${taken[`${name}P50Ms`]} ms, p99 ${taken[`${name}P99Ms`]} ms, ${found} of ${queries} found`,
    );
  }
  taken.found = await expectFound(filled, { timed, wrong, any, queries });
  await expectFirst(stores, timed);
  for (const { name } of kinds) {
    const p99 = taken[`${name}P99Ms`] ?? Number.POSITIVE_INFINITY;
    assert(p99 <= p99Ms, `${name}: 99 of 100 searches take ${p99} ms, and may take ${p99Ms}`);
  }
  return taken;
}

const HOSTILE = [
  "a".repeat(100),
  "ab ".repeat(33),
  "the the the gaming live official stream music just chatting pro tv night speed run art code",
  "(a+)+$ .* [a-z]* ^the",
  "ﷺ".repeat(100),
  "́".repeat(100),
  "東".repeat(100),
  "{$where: 'sleep(1000)'}",
];

type TimedSearch = (
  query: string,
) => Promise<{ found: Awaited<ReturnType<ReturnType<typeof createSearch>>> }>;

/** Each name is the first result of itself; with an error it is nearly always found. */
async function expectFound(
  { names }: Filled,
  deps: {
    timed: TimedSearch;
    wrong: (text: string) => string;
    any: (all: string[]) => string;
    queries: number;
  },
): Promise<number> {
  let found = 0;
  for (let n = 0; n < deps.queries; n++) {
    const name = deps.any(names);
    const exact = await deps.timed(name);
    assert.equal(exact.found.users[0]?.username, name, `${name} isn't the first that is found by itself`);
    const typed = await deps.timed(deps.wrong(name));
    if (typed.found.users.some(({ username }) => username === name)) found++;
  }
  const percent = (100 * found) / deps.queries;
  assert(
    percent >= LEAST_FOUND,
    `${percent} of 100 names are found with one error, and ${LEAST_FOUND} should be`,
  );
  return percent;
}

/** The names with that first letter and the most followers, by a scan without an index. */
async function expectFirst({ mongo }: Stores, timed: TimedSearch): Promise<void> {
  for (const letter of ["g", "t", "k"]) {
    const begun = usersCollection
      .in(mongo.db)
      .find({ username: { $regex: `(^|_)${letter}` } })
      .project<{ username: string; search: { weight: number } }>({ username: 1, "search.weight": 1 });
    const weights = new Map<string, number>();
    for await (const { username, search } of begun) weights.set(username, search.weight);
    const most = [...weights.values()].sort((a, b) => b - a);
    const { found } = await timed(letter);
    const shown = found.users.map(({ username }) => weights.get(username));
    assert.deepEqual(shown, most.slice(0, LIMIT), `those with most followers by ${letter}`);
  }
}

/** Search indexes are built at the end, all at once. */
async function given(
  stores: Stores,
  options: SearchesOptions,
  { random, print }: { random: () => number; print: Print },
): Promise<{ filled: Filled; seconds: number }> {
  const { db } = stores.mongo;
  const startedAt = performance.now();
  const log = quietLog();
  await migrate(stores.mongo, { clock: processClock, log });
  for (const name of SEARCHED_IN) {
    const made = await db.collection(name).indexes();
    for (const { key, name: index } of made)
      if ("search.keys" in key && index !== undefined) await db.collection(name).dropIndex(index);
  }
  const filled = await fill(stores, options, { names: namesFrom(random), random, print });
  const patient = await connectForMaintenance(
    { url: process.env.MONGODB_URL ?? "", database: db.databaseName },
    0,
  );
  try {
    for (const { name, indexes } of COLLECTIONS.filter((one) => SEARCHED_IN.includes(one.name))) {
      const { key } = indexes.find((index) => "search.keys" in index.key) ?? {};
      if (key) await patient.db.collection(name).createIndexes(indexes.filter((index) => index.key === key));
      print(`${name} are indexed`);
    }
  } finally {
    await patient.close();
  }
  return { filled, seconds: Math.round((performance.now() - startedAt) / 1_000) };
}
