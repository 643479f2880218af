import { type Scenario, scenario } from "../stress/scenario.ts";
import { runPart } from "./part.ts";

/** The first steps on whole fresh machines; `npm test` takes them on this one with a newer C library. */
export const MACHINES: Scenario[] = ["22", "24"].map((node) =>
  scenario({
    name: `node-${node}`,
    about: `on a fresh Debian 13 with Node ${node}, all is installed, started, has its demo and is stopped`,
    sizes: {},
    fixed: {},
    run: (_, print) => runPart("specs/runner/fresh.mjs", [node], print),
  }),
);
