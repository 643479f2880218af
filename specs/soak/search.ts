import { type Scenario, scenario } from "../stress/scenario.ts";
import { runLists } from "./lists/lists.ts";
import { runSearches } from "./search/searches.ts";

/** Full-size scenarios of searches and lists. */
export const SEARCH: Scenario[] = [
  scenario({
    name: "searches",
    about: "a million names and titles are searched, by beginnings and with errors, in less than 50 ms",
    sizes: { users: 1_000_000, clips: 100_000, categories: 10_000, queries: 500 },
    fixed: { p99Ms: 50 },
    run: runSearches,
  }),
  scenario({
    name: "lists",
    about: "a page up to item 10,000 of a list of a million takes less than 50 ms",
    sizes: { documents: 1_000_000, pages: 300 },
    fixed: { streams: 12_000, furthest: 10_000, p99Ms: 50 },
    run: runLists,
  }),
];
