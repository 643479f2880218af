import type { IncomingHttpHeaders } from "node:http";

/** Verifies the signature of a body before it is parsed, by the scheme that its operation declares. */
export type Signatures = Readonly<
  Record<"standard" | "stripe", (headers: IncomingHttpHeaders, raw: Buffer) => void>
>;
