import type { Scenario } from "./scenario.ts";

/** What rooms and gateway promise, in full size. */
export const ROOMS: Scenario[] = [];
