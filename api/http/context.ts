import type { IncomingMessage } from "node:http";
import type { Request, Response } from "express";
import type { ErrorCode, ErrorDetails } from "../../specs/contract/errors.ts";
import type { Origin } from "../../store/audit.ts";
import type { Log } from "../../store/log.ts";
import { requestIdOf } from "../../store/request-id.ts";
import type { InvalidPart } from "./invalid.ts";

/** What is known of a request beside its content; it grows while the request is served. */
export type RequestContext = {
  requestId: string;
  /** Where the client is, as far as trusted proxies say; every limit and log goes by it, never by `req.ip`. */
  address: string;
  userAgent: string | null;
  startedAt: number;
  /** Made when somebody has something to say: most requests have not. */
  readonly log: Log;
  operationId: string | null;
  /** Of an operation for machines with the system key. */
  isHook: boolean;
  /** The key was required and is the right one. */
  hasSystemKey: boolean;
  userId: string | null;
  /** The error that was answered; null for none. */
  refused: { code: ErrorCode; details?: ErrorDetails | undefined } | null;
  /** What the path named. */
  params: Readonly<Record<string, string>>;
  /** False for an operation that is limited by nothing. */
  isLimited: boolean;
  /** Set in specs alone: what is wrong with an answer, by the document. */
  checkAnswer: ((status: number, body: unknown) => InvalidPart[]) | null;
};

export type Answered = {
  operationId: string | null;
  method: string;
  status: number;
  ms: number;
};

const contexts = new WeakMap<Request, RequestContext>();

export function contextOf(req: Request): RequestContext {
  const context = contexts.get(req);
  if (!context) throw new Error("A request was served before its context was made");
  return context;
}

export const originOf = ({ address, userAgent, requestId }: RequestContext): Origin => ({
  ip: address,
  userAgent,
  requestId,
});

/**
 * Gives each request its id (the proxy's, where it has one of a harmless form) and its log line. The line
 * names the operation instead of the address, since an address may carry a system key.
 */
export function requestContext(deps: {
  log: Log;
  clientAddress: (request: IncomingMessage) => string;
  onAnswered: (answered: Answered) => void;
}): (req: Request, res: Response) => void {
  const { log, clientAddress, onAnswered } = deps;
  return (req, res) => {
    const requestId = requestIdOf(req.headers["x-request-id"]);
    let own: Log | null = null;
    const context: RequestContext = {
      requestId,
      address: clientAddress(req),
      userAgent: req.headers["user-agent"] ?? null,
      startedAt: performance.now(),
      get log() {
        own ??= log.child({ requestId });
        return own;
      },
      operationId: null,
      isHook: false,
      hasSystemKey: false,
      userId: null,
      refused: null,
      params: {},
      isLimited: true,
      checkAnswer: null,
    };
    contexts.set(req, context);
    res.setHeader("X-Request-Id", requestId);
    res.once("close", () => {
      const { operationId, userId, refused, params } = context;
      const ms = Math.round(performance.now() - context.startedAt);
      // 499: the client went away before the answer, as nginx writes it.
      const status = res.writableEnded ? res.statusCode : 499;
      onAnswered({ operationId, method: req.method, status, ms });
      // Probes ask every few seconds, and their answer says nothing as long as it is the expected one.
      if (operationId === "getHealth" && status < 400) return;
      log.info(
        {
          requestId,
          operation: operationId,
          method: req.method,
          status,
          ...(refused ? { code: refused.code, ...detailsOf(refused), ...params } : {}),
          ms,
          userId,
        },
        "request answered",
      );
    });
  };
}

/** Of a malformed request they would repeat what was sent. */
const detailsOf = ({ code, details }: NonNullable<RequestContext["refused"]>) =>
  code === "validation_failed" || details === undefined ? {} : { details };
