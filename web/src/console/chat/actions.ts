import type { Schemas } from "../../site/page-data.ts";

/** What a blocked term does, in the order in which it is offered. */
export const ACTIONS: readonly Schemas["BlockedTermAction"][] = [
  "block",
  "hold",
  "allow",
  "block_links",
  "verified_only",
];
