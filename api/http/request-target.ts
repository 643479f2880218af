import type { IncomingMessage } from "node:http";
import { invalid } from "./invalid.ts";

const refused = new WeakSet<IncomingMessage>();

/** The path of a request, also when it names the whole address; null when it has none ("foo://bar", "*"). */
function hasPath({ url = "" }: IncomingMessage): boolean {
  if (url.startsWith("/")) return true;
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** Express answers by itself what has no path, past metrics and logs: it is given the root instead. */
export function giveTarget(req: IncomingMessage): void {
  if (hasPath(req)) return;
  refused.add(req);
  req.url = "/";
}

/** Throws for a request that had no path. */
export function requireTarget(req: IncomingMessage): void {
  if (refused.has(req))
    throw invalid([{ path: "/path", rule: "format", message: "the request's target isn't a path" }]);
}
