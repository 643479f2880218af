import type { IncomingMessage } from "node:http";
import { invalid } from "../../contract/errors.ts";

const refused = new WeakSet<IncomingMessage>();

/** Whether the request's target has a path, be it an absolute URL; false for "foo://bar" and "*". */
function hasPath({ url = "" }: IncomingMessage): boolean {
  if (url.startsWith("/")) return true;
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/**
 * Express itself answers a request without a path, bypassing metrics and logs: such a request gets the root as its path
 * instead.
 */
export function normalizeTarget(req: IncomingMessage): void {
  if (hasPath(req)) return;
  refused.add(req);
  req.url = "/";
}

/** Throws for a request that had no path. */
export function requireTarget(req: IncomingMessage): void {
  if (refused.has(req))
    throw invalid({ path: "/path", rule: "format", message: "the request's target isn't a path" });
}
