import type { Request } from "express";
import { ServiceError } from "../../contract/errors.ts";
import type { OpenApiDocument } from "../../contract/openapi-document.ts";
import { operationsOf } from "../../contract/openapi-document.ts";
import { documented } from "./answer.ts";
import { NO_SLOT } from "./concurrency-limit.ts";
import { contextOf } from "./context.ts";
import type { Exchange } from "./exchange.ts";
import type { OperationId } from "./operation-types.ts";
import { isReply } from "./reply.ts";
import { readCookies } from "./sent-cookies.ts";
import { type ServeDeps, type Served, servedOperation } from "./served.ts";
import { handle } from "./steps.ts";

/** The parameters of a read, as a client of the interface would send them. */
export type ReadInput = { path?: Record<string, string>; query?: Record<string, unknown> };
/** The JSON of an answer. Throws what the operation refuses with, and `not_found` where the path names nothing possible. */
export type ReadAnonymously = (req: Request, operationId: OperationId, input: ReadInput) => Promise<string>;

const NO_BYTES = Buffer.alloc(0);

/**
 * Reads of the interface as a caller without credentials gets them, for pages that carry their first data. They pass through the same
 * loaders, handlers and kept answers as requests do, in the slot of the page.
 */
export function createAnonymousAnswers(document: OpenApiDocument, deps: ServeDeps): ReadAnonymously {
  const operations = new Map(operationsOf(document).map((one) => [one.operation.operationId, one]));
  const known = new Map<string, Served>();

  function servedOf(operationId: OperationId): Served {
    const served = known.get(operationId);
    if (served) return served;
    const operation = operations.get(operationId);
    if (operation?.method !== "get") throw new Error(`${operationId} isn't a read of the document`);
    const made = servedOperation(operation, deps);
    known.set(operationId, made);
    return made;
  }

  return async (req, operationId, input) => {
    const served = servedOf(operationId);
    const parts = { path: { ...input.path }, query: { ...input.query }, header: {}, body: undefined };
    // It fills in what the document says about missing parameters.
    const [complaint] = deps.validation.requestCheck(served.operation)(parts);
    // What a page's own path names is what somebody typed.
    if (complaint?.path.startsWith("/path/")) throw new ServiceError("not_found");
    if (complaint) throw new Error(`${operationId}: ${complaint.path} ${complaint.message}`);
    const make = async (): Promise<unknown> => {
      const exchange = exchangeOf(req, served, parts);
      await handle(exchange, served);
      if (isReply(exchange.answer)) throw new Error(`${operationId} answers with more than a body`);
      return documented(served, served.firstSuccess, exchange.answer);
    };
    if (served.anonymous === null) return JSON.stringify(await make());
    return (await served.anonymous.read({ path: parts.path, query: parts.query }, make)).toString("utf8");
  };
}

function exchangeOf(
  req: Request,
  { deps, operation }: Served,
  { path, query }: { path: Record<string, string>; query: Record<string, unknown> },
): Exchange {
  const bound = deps.boundTo(operation.operationId);
  if (!bound || !req.res) throw new Error(`${operation.operationId} has no route`);
  const context = contextOf(req);
  return {
    req,
    res: req.res,
    context,
    bound,
    slot: NO_SLOT,
    params: path,
    query,
    header: {},
    cookies: readCookies({}, { isSecure: false, isBound: false }),
    isSecure: false,
    isShared: true,
    caller: { kind: "anonymous" },
    body: undefined,
    rawBody: NO_BYTES,
    arrivedAt: context.startedAt,
    answer: undefined,
  };
}
