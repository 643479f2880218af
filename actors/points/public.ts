// What other contexts of this row may know of points.
export { type Posting, postAndNotify } from "./ledger/post.ts";
export type { TierOf, Watched } from "./ledger/viewing.ts";
