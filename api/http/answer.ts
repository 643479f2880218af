import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request, Response } from "express";
import { undocumentedAnswer } from "./error-response.ts";
import type { Exchange } from "./exchange.ts";
import { sendJson } from "./json.ts";
import { isReply, type Reply, reply } from "./reply.ts";
import type { Served } from "./served.ts";
import { cookieLine } from "./set-cookie.ts";
import { withoutSecrets } from "./withheld.ts";

/** Sends what the handler returned; without a slot, since its reader may be slow. */
export async function send(exchange: Exchange, served: Served): Promise<void> {
  const { req, res, context, slot, caller, answer, isSecure } = exchange;
  const { operation, deps } = served;
  const complete = isReply(answer) ? answer : reply({ body: answer });
  const full = { ...complete, body: withoutSecrets(operation["x-withheld"] ?? [], caller, complete.body) };
  const status = full.status ?? served.firstSuccess;
  // Without details: those of a refusal with which a browser is redirected may contain tokens.
  if (full.refused) {
    context.refused = { code: full.refused };
    deps.onRefused({ operationId: operation.operationId, code: full.refused });
  }
  slot.free();
  if (full.download) return sendDownload(req, res, status, { ...full, download: full.download });
  documented(served, status, full.body);
  sendReply(res, status, full, isSecure);
}

/** Returns the body; only specs check it. */
export function documented(served: Served, status: number, body: unknown): unknown {
  const undocumented = served.checkAnswer?.(status, asJson(body)) ?? [];
  if (undocumented.length > 0) throw undocumentedAnswer(body, undocumented);
  return body;
}

function asJson(body: unknown): unknown {
  return body === undefined ? undefined : JSON.parse(JSON.stringify(body));
}

function sendReply(
  res: Response,
  status: number,
  { body, textType, headers, cookies }: Reply<unknown>,
  isSecure: boolean,
): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  for (const cookie of cookies) res.appendHeader("Set-Cookie", cookieLine(cookie, isSecure));
  res.statusCode = status;
  if (body === undefined) res.end();
  else if (textType !== null) res.setHeader("Content-Type", textType).end(body);
  else sendJson(res, status, body);
}

/** Sends with back-pressure. An error on the way is thrown, and cuts off the answer. For HEAD the download isn't started. */
async function sendDownload(
  { method }: Request,
  res: Response,
  status: number,
  { download, headers }: { download: AsyncIterable<string>; headers: Record<string, string> },
): Promise<void> {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.statusCode = status;
  res.setHeader("Content-Type", "application/json; charset=utf-8");
  if (method === "HEAD") return void res.end();
  try {
    await pipeline(Readable.from(download), res);
  } catch (err) {
    // The client has disconnected.
    if (err instanceof Error && "code" in err && err.code === "ERR_STREAM_PREMATURE_CLOSE") return;
    throw err;
  }
}
