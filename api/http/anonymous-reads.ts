import type { IncomingMessage } from "node:http";
import type { Response } from "express";
import type { Parameter } from "../../contract/openapi-document.ts";
import { createAnswerCache, type Lookup } from "./answer-cache.ts";
import { sendJsonBytes } from "./json.ts";
import type { SentCookies } from "./sent-cookies.ts";
import type { RequestParts } from "./validate.ts";

/** Limits per operation and process. */
const CACHE_LIMITS = { maxEntries: 1_000, maxBytes: 4 * 1024 * 1024 };

/** The headers that may identify the caller, even if they aren't used here. */
const CREDENTIALS = ["authorization", "x-system-key", "x-api-key"];

/** The headers by which a cache on the way must distinguish answers. */
const VARY = "Origin, Authorization, Cookie, X-API-Key";

type KeyParts = Pick<RequestParts, "path" | "query">;

export type AnonymousReads = ReturnType<typeof createAnonymousReads>;

export type CachedRead = { operationId: string; lookup: Lookup };

/**
 * Caches the answers of an operation with `x-cache-seconds` to requests without any credential: they depend on path and
 * query alone. A request with a credential, valid or not, neither gets a cached answer nor leaves one.
 */
export function createAnonymousReads(options: {
  operationId: string;
  seconds: number;
  parameters: readonly Parameter[];
  now: () => number;
  onRead: (read: CachedRead) => void;
}) {
  const { operationId, seconds, now, onRead } = options;
  const cache = createAnswerCache({ ttlMs: seconds * 1_000, now, ...CACHE_LIMITS });
  const names = options.parameters.flatMap(({ name, in: where, schema }) =>
    where === "path" || where === "query"
      ? [{ name, where, otherwise: schema.default ?? null } as const]
      : [],
  );

  /**
   * The cache key, from validated values in a fixed order: requests that are written differently and mean the same share a
   * key.
   */
  const keyOf = (parts: KeyParts): string =>
    JSON.stringify(names.map(({ name, where, otherwise }) => parts[where][name] ?? otherwise));

  return {
    /** Whether a request has no credential. Cookies that aren't ours, such as a front end's own, don't identify the caller. */
    isFor: ({ headers }: IncomingMessage, cookies: SentCookies): boolean =>
      !cookies.hasOwn && !CREDENTIALS.some((name) => headers[name] !== undefined),
    /** Set on every answer of the operation, including errors and answers to signed-in callers. */
    vary: (res: Response) => void res.setHeader("Vary", VARY),
    /** `make` runs if nothing is cached, and its answer may serve other callers: it may depend on path and query only. */
    async read(parts: KeyParts, make: () => Promise<unknown>): Promise<Buffer> {
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

/** Not a slice of the shared pool of small buffers, all of which would stay in memory with it. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
