import type { IncomingHttpHeaders } from "node:http";

/** What verifies the signature of a body before it is read, by the scheme that its operation declares. */
export type Signatures = Readonly<
  Record<"standard" | "stripe", (headers: IncomingHttpHeaders, raw: Buffer) => void>
>;
