import type { Schemas } from "../../site/page-data.ts";

/** As its owner sees it. */
export type Overlay = Schemas["Overlay"];
