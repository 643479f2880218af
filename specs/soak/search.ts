import { type Scenario, scenario } from "../stress/scenario.ts";
import { runSearches } from "./search/searches.ts";

/** What searches promise, in full size. */
export const SEARCH: Scenario[] = [
  scenario({
    name: "searches",
    about: "a million names and titles are searched, by beginnings and with errors, in less than 50 ms",
    sizes: { users: 1_000_000, clips: 100_000, categories: 10_000, queries: 500 },
    fixed: { p99Ms: 50 },
    run: runSearches,
  }),
];
