// What other contexts of this row may know of live.
export type { Broadcasts } from "./live-stream/broadcasts.ts";
