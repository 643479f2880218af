import type { Request } from "express";
import { invalid } from "../../contract/errors.ts";

/** Far more than any operation has: the rest of the request is read only below it. */
const MAX_PARAMETERS = 64;

/**
 * A repeated parameter becomes a list, which no parameter of the document accepts. Read before any limit, in linear time.
 * Throws validation_failed for more than 64 parameters.
 */
export function queryOf(req: Request): Record<string, unknown> {
  const text = textOf(req);
  if (text === "") return {};
  requireFewParameters(text);
  const values = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = values.get(name);
    values.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(values);
}

/**
 * Throws validation_failed for a query whose escapes aren't UTF-8, surrogates included: decoding it anyway would put
 * replacement characters where the client meant something else.
 */
export function requireDecodableQuery(req: Request): void {
  try {
    decodeURIComponent(textOf(req));
  } catch (err) {
    if (!(err instanceof URIError)) throw err;
    throw invalid({ path: "/query", rule: "encoding", message: "must be percent-encoded UTF-8" });
  }
}

function requireFewParameters(text: string): void {
  let count = 1;
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) {
    if (++count > MAX_PARAMETERS)
      throw invalid({
        path: "/query",
        rule: "maxProperties",
        message: `must have at most ${MAX_PARAMETERS} parameters`,
      });
  }
}

function textOf(req: Request): string {
  const start = req.originalUrl.indexOf("?");
  return start === -1 ? "" : req.originalUrl.slice(start + 1);
}
