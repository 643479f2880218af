import type { Request } from "express";
import { invalid } from "../../specs/contract/errors.ts";

/** A repeated parameter becomes a list, which no parameter of the document accepts. */
export function queryOf(req: Request): Record<string, unknown> {
  const text = textOf(req);
  if (text === "") return {};
  const params = new URLSearchParams(text);
  const values = new Map<string, unknown>();
  for (const name of params.keys()) {
    const all = params.getAll(name);
    values.set(name, all.length === 1 ? all[0] : all);
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

function textOf(req: Request): string {
  const start = req.originalUrl.indexOf("?");
  return start === -1 ? "" : req.originalUrl.slice(start + 1);
}
