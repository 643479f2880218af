import { runLargeChannel } from "../actors/discovery/analytics/large-channel.ts";
import { type Scenario, scenario } from "../stress/scenario.ts";

/** Full-size scenarios of creators' analytics. */
export const ANALYTICS: Scenario[] = [
  scenario({
    name: "large-channel",
    about:
      "ninety days of a channel with ten million ledger entries are exact, and read in time while it goes on",
    sizes: { rows: 10_000_000 },
    fixed: { requests: 300, p99Ms: 200 },
    run: runLargeChannel,
  }),
];
