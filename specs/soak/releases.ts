import { type Scenario, scenario } from "../stress/scenario.ts";
import { runBeside } from "./releases/beside.ts";
import { runUpdatedEvening } from "./releases/evening.ts";

/** Scenarios of this release and an older one (OLDER_RELEASE, a tag or commit) on the same stores. */
export const RELEASES: Scenario[] = [
  scenario({
    name: "beside",
    about: "sessions, chat and points of either release go on at the other, also after going back",
    sizes: {},
    fixed: {},
    run: runBeside,
  }),
  scenario({
    name: "evening",
    about: "the demo's evening adds up while the older release is replaced in the middle",
    sizes: { viewers: 20 },
    fixed: {},
    run: runUpdatedEvening,
  }),
];
