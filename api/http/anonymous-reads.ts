import type { IncomingHttpHeaders } from "node:http";
import type { Response } from "express";
import type { Parameter } from "../../specs/contract/openapi-document.ts";
import { createAnswerCache, type Lookup } from "./answer-cache.ts";
import { sendJsonBytes } from "./json.ts";
import type { RequestParts } from "./validate.ts";

/** Of each operation, in each process. */
const MOST = { maxEntries: 1_000, maxBytes: 4 * 1024 * 1024 };

/** All that a request may show to say who is asking, also where nothing comes of it here. */
const CREDENTIALS = ["authorization", "x-system-key", "x-api-key"];
const OUR_COOKIE = "lc_";

/** What a cache on the way must keep apart. */
const VARIES = "Origin, Authorization, Cookie, X-API-Key";

type Placed = Pick<RequestParts, "path" | "query">;

export type CachedRead = { operationId: string; lookup: Lookup };

/**
 * The answers of an operation with `x-cache-seconds` to requests without any credential: they depend on path and query alone
 * and are kept for that long. A request with a credential neither gets one nor leaves one, be it good or not.
 */
export function createAnonymousReads(options: {
  operationId: string;
  seconds: number;
  parameters: readonly Parameter[];
  now: () => number;
  onRead: (read: CachedRead) => void;
}) {
  const { operationId, seconds, now, onRead } = options;
  const cache = createAnswerCache({ ttlMs: seconds * 1_000, now, ...MOST });
  const names = options.parameters.flatMap(({ name, in: where, schema }) =>
    where === "path" || where === "query"
      ? [{ name, where, otherwise: schema.default ?? null } as const]
      : [],
  );

  /** From values that have passed validation, each in its place: what is written differently and means the same is one. */
  const keyOf = (parts: Placed): string =>
    JSON.stringify(names.map(({ name, where, otherwise }) => parts[where][name] ?? otherwise));

  return {
    /** Of every answer of the operation, errors and those to signed-in callers included. */
    vary: (res: Response) => void res.setHeader("Vary", VARIES),
    /** `make` runs when there is nothing kept, and may serve others too: its answer goes by path and query alone. */
    async read(parts: Placed, make: () => Promise<unknown>): Promise<Buffer> {
      const { answer, lookup } = cache.get(keyOf(parts), async () => ownBytes(JSON.stringify(await make())));
      onRead({ operationId, lookup });
      return answer;
    },
    send(res: Response, status: number, body: Buffer): void {
      res.setHeader("Cache-Control", `public, max-age=${seconds}`);
      sendJsonBytes(res, status, body);
    },
  };
}

/** Cookies of others, as a front end's own, say nothing about who is asking. */
export function showsCredential(headers: IncomingHttpHeaders, cookies: Record<string, unknown>): boolean {
  return (
    CREDENTIALS.some((name) => headers[name] !== undefined) ||
    Object.keys(cookies).some((name) => name.startsWith(OUR_COOKIE))
  );
}

/** Not a slice of the pool that small buffers share, all of which would be kept for it. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
