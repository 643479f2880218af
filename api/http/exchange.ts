import type { Request, Response } from "express";
import type { Caller } from "../../actors/accounts/tokens/caller.ts";
import type { BoundOperation } from "./bind.ts";
import type { Slot } from "./concurrency-limit.ts";
import { contextOf, type RequestContext } from "./context.ts";
import { queryOf } from "./query.ts";
import { readCookies, type SentCookies } from "./sent-cookies.ts";
import type { Served } from "./served.ts";

const NO_BYTES = Buffer.alloc(0);

/** One request to one operation on its way through the steps of serve.ts. Each step reads what those before it have left here. */
export type Exchange = {
  readonly req: Request;
  readonly res: Response;
  readonly context: RequestContext;
  readonly bound: BoundOperation;
  readonly slot: Slot;
  readonly params: Record<string, string>;
  readonly query: Record<string, unknown>;
  /** Those that the operation takes; names as in the document. */
  readonly header: Record<string, unknown>;
  readonly cookies: SentCookies;
  /** Whether cookies need `Secure` in the answer. */
  readonly isSecure: boolean;
  /** Whether the answer may be one that is kept for everybody without a credential. */
  readonly isShared: boolean;
  /** Anonymous until it is authenticated. */
  caller: Caller;
  body: unknown;
  /** Empty without a body. */
  rawBody: Buffer;
  /** By performance.now(): the request's arrival, later by as long as its body took, which is its sender's time. */
  arrivedAt: number;
  /** What the handler returned. */
  answer: unknown;
};

/** Begins an exchange, and writes down in the request's context which operation it is for. */
export function beginExchange(
  served: Served,
  { req, res, params, slot }: Pick<Exchange, "req" | "res" | "params" | "slot">,
): Exchange {
  const { operation, deps } = served;
  const { operationId, "x-access": access } = operation;
  const context = contextOf(req);
  context.operationId = operationId;
  context.params = params;
  context.isHook = access.who === "system";
  context.isHealthCheck = operation["x-health-check"] ?? false;
  // A stranger's guesses at a key count, also where those who have it aren't limited.
  context.isLimited = served.isLimited || access.who !== "anonymous";
  context.checkAnswer = served.checkAnswer;
  const bound = deps.boundTo(operationId);
  if (!bound) throw new Error(`${operationId} has no route`);
  const isSecure = served.isSecureFor(req);
  const cookies = readCookies(req.headers, { isSecure, isBound: deps.cookieDomain === null });
  return {
    req,
    res,
    context,
    bound,
    slot,
    params,
    query: queryOf(req),
    header: documentedHeaders(req, served.headerNames),
    cookies,
    isSecure,
    isShared: served.anonymous?.isFor(req, cookies) ?? false,
    caller: { kind: "anonymous" },
    body: undefined,
    rawBody: NO_BYTES,
    arrivedAt: context.startedAt,
    answer: undefined,
  };
}

function documentedHeaders(req: Request, names: readonly string[]): Record<string, unknown> {
  const headers: Record<string, unknown> = {};
  for (const name of names) {
    const value = req.headers[name.toLowerCase()];
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}
