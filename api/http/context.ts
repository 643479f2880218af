import type { IncomingMessage } from "node:http";
import type { Request, Response } from "express";
import type { Origin } from "../../base/audit.ts";
import type { Log } from "../../base/log.ts";
import { requestIdOf } from "../../base/request-id.ts";
import type { ErrorCode, ErrorDetails, InvalidPart } from "../../contract/errors.ts";

/** Whether the document has a field or parameter of that name; any other name was sent by a client. */
type IsDocumented = (name: string) => boolean;

/** What is known of a request besides its content; filled in while the request is served. */
export type RequestContext = {
  requestId: string;
  /** The client's address, as far as proxies are trusted; every limit and log uses it, never `req.ip`. */
  address: string;
  userAgent: string | null;
  startedAt: number;
  /** Created on first use: most requests log nothing themselves. */
  readonly log: Log;
  operationId: string | null;
  /** Whether the operation is for machines with the system key. */
  isHook: boolean;
  /** Whether the system key was required and is the right one. */
  hasSystemKey: boolean;
  userId: string | null;
  /** The error that was answered; null for none. */
  refused: { code: ErrorCode; details?: ErrorDetails | undefined } | null;
  /** Ids in the path, and those in a valid body. */
  params: Readonly<Record<string, string>>;
  /** Whether probes call the operation every few seconds, and its 503 is what it is for. */
  isHealthCheck: boolean;
  /** Whether a refusal counts: not at an operation without any rate limit, once it is known who is asking. */
  isLimited: boolean;
  /** Only set in specs: finds what is wrong with an answer, by the document. */
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
 * Gives each request its id (the proxy's, if that has a harmless form) and its log line. The line has the operation instead
 * of the URL, since a URL may carry a system key.
 */
export function requestContext(deps: {
  log: Log;
  clientAddress: (request: IncomingMessage) => string;
  onAnswered: (answered: Answered) => void;
  isDocumented: IsDocumented;
}): (req: Request, res: Response) => void {
  const { log, clientAddress, onAnswered, isDocumented } = deps;
  return (req, res) => {
    const requestId = requestIdOf(req.headers["x-request-id"]);
    let requestLog: Log | null = null;
    const context: RequestContext = {
      requestId,
      address: clientAddress(req),
      userAgent: req.headers["user-agent"] ?? null,
      startedAt: performance.now(),
      get log() {
        requestLog ??= log.child({ requestId });
        return requestLog;
      },
      operationId: null,
      isHook: false,
      hasSystemKey: false,
      userId: null,
      refused: null,
      params: {},
      isHealthCheck: false,
      isLimited: true,
      checkAnswer: null,
    };
    contexts.set(req, context);
    res.setHeader("X-Request-Id", requestId);
    res.once("close", () => {
      const { operationId, userId, refused, params } = context;
      const ms = Math.round(performance.now() - context.startedAt);
      // 499: the client disconnected before the answer, as nginx logs it.
      const status = res.writableEnded ? res.statusCode : 499;
      onAnswered({ operationId, method: req.method, status, ms });
      // Probes come every few seconds, and the expected answer isn't worth a line.
      if (context.isHealthCheck && status < 400) return;
      log.info(
        {
          requestId,
          operation: operationId,
          method: req.method,
          status,
          ...(refused ? { code: refused.code, ...detailsOf(refused, isDocumented), ...params } : {}),
          ms,
          userId,
        },
        "request answered",
      );
    });
  };
}

const MAX_INVALID = 5;

/** Of a malformed request only which rules it breaks, and where: the rest would repeat what was sent. */
function detailsOf({ details }: NonNullable<RequestContext["refused"]>, isDocumented: IsDocumented): object {
  if (details === undefined) return {};
  if (!("errors" in details)) return { details };
  const invalid = details.errors.slice(0, MAX_INVALID).map(({ path, rule }) => {
    const names = path.split("/").map((name) => (isDocumented(name) || /^\d*$/.test(name) ? name : "*"));
    return `${names.join("/")} ${rule}`;
  });
  return { invalid };
}
