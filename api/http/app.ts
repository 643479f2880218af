import type { IncomingMessage, RequestListener } from "node:http";
import express, { type Request, type RequestHandler } from "express";
import { ServiceError } from "../../specs/contract/errors.ts";
import {
  METHODS,
  type OpenApiDocument,
  operationsOf,
  readOpenApi,
} from "../../specs/contract/openapi-document.ts";
import type { Audit } from "../../store/audit.ts";
import type { Log } from "../../store/log.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { accountPages } from "./account-pages.ts";
import type { CachedRead } from "./anonymous-reads.ts";
import { type Authenticator, createAuthenticate } from "./authenticate.ts";
import { createOperations, type Operations } from "./bind.ts";
import { type Answered, contextOf, requestContext } from "./context.ts";
import { cors } from "./cors.ts";
import { docsPage } from "./docs.ts";
import { countRefusal, createAnswerError, type RestRefusal } from "./error-response.ts";
import { filesPage, type ReadFile } from "./files-page.ts";
import { invalid } from "./invalid.ts";
import { createLimits, type Limits, tellAllowance } from "./limits.ts";
import { type PreparedMessages, prepareMessages } from "./prepared-messages.ts";
import { requireUnrefused } from "./refused-upgrade.ts";
import { giveTarget, requireTarget } from "./request-target.ts";
import { createRouteTree } from "./route-tree.ts";
import { securityHeaders } from "./security-headers.ts";
import { type Serve, serveOperation } from "./serve.ts";
import type { Signatures } from "./signatures.ts";
import { createValidation } from "./validate.ts";

/** Counts a page, and a file that is much more work. */
export type CountPages = { page: RequestHandler; file: RequestHandler };

export type AppDeps = {
  identity: Authenticator;
  redis: RedisConnection;
  log: Log;
  audit: Audit;
  systemKey: string;
  /** Nothing that is signed is let in without. */
  signatures?: Signatures;
  allowedOrigins: readonly string[];
  /** Whether cookies may go without `Secure` by plain http on this machine's own names; never where it isn't said. */
  plainCookiesHere?: boolean;
  /** See `clientAddressBehind`. */
  clientAddress: (request: IncomingMessage) => string;
  rateLimitFactor: number;
  /** Specs only: an answer that the document doesn't describe becomes a 500 that says so. */
  checkResponses?: boolean;
  /** Another than the service's; in specs only. */
  document?: OpenApiDocument;
  /** How long a body may take to arrive; another than 30 s in specs only. */
  bodyDeadlineMs?: number;
  /** Uploaded pictures; none are served without. */
  readFile?: ReadFile;
  /** What search engines read and what other sites embed; none of it without. */
  pages?: (count: CountPages) => RequestHandler[];
  /** Told of every answer, for metrics. */
  onAnswered?: (answered: Answered) => void;
  /** Told of every answer that was looked for among the kept ones, for metrics. */
  onCachedRead?: (read: CachedRead) => void;
  /** Milliseconds that only rise, by which kept answers run out; specs move them. */
  now?: () => number;
  /** Told of every error that was answered, for metrics. */
  onRefused?: (refused: RestRefusal) => void;
};

const refuseSignature = (): void => {
  throw new ServiceError("signature_invalid");
};
const NO_SIGNATURES: Signatures = { standard: refuseSignature, stripe: refuseSignature };

const BODY_DEADLINE_MS = 30_000;

/** Compiling the checks is most of what an app's start takes, so all apps of a process have them together. */
const ours = readOpenApi();
const validationOfOurs = createValidation(ours);

/**
 * The HTTP side without its routes: areas give each operation its handler by `operations.bind`, then
 * `operations.complete()` makes sure that none is left out.
 */
export function createApp(deps: AppDeps): {
  answer: RequestListener;
  operations: Operations;
  messages: PreparedMessages;
} {
  const { document = ours } = deps;
  const validation = document === ours ? validationOfOurs : createValidation(document);
  const { operations, handlerOf } = createOperations(document);
  const limits = createLimits({ redis: deps.redis, factor: deps.rateLimitFactor, log: deps.log });
  const serving = {
    document,
    validation,
    authenticate: createAuthenticate(deps),
    requireFresh: deps.identity.requireFresh,
    limits,
    signatures: deps.signatures ?? NO_SIGNATURES,
    handlerOf,
    plainCookiesHere: deps.plainCookiesHere ?? false,
    checkResponses: deps.checkResponses ?? false,
    bodyDeadlineMs: deps.bodyDeadlineMs ?? BODY_DEADLINE_MS,
    now: deps.now ?? (() => performance.now()),
    onCachedRead: deps.onCachedRead ?? (() => undefined),
    onRefused: deps.onRefused ?? (() => undefined),
  };

  const app = express();
  const messages = prepareMessages(app);
  app.disable("x-powered-by");
  // A 304 would be an answer that is neither 2xx nor the envelope.
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", false);
  const { log, audit, clientAddress, onAnswered = () => undefined, onRefused = () => undefined } = deps;
  const beginContext = requestContext({ log, clientAddress, onAnswered });
  const allowOrigin = cors(deps.allowedOrigins);
  const headers = securityHeaders();
  const routes = createRouteTree(routesOf(document, serving));
  // One layer for all of it: what goes through Express's stack costs more there than here.
  app.use(async (req, res, next) => {
    beginContext(req, res);
    for (const [name, value] of headers) res.setHeader(name, value);
    allowOrigin(req, res);
    requireHost(req);
    requireTarget(req);
    requireUnrefused(req);
    const found = routes.find(req.path);
    if (!found) return next();
    const { byMethod, allow } = found.route;
    const serve = byMethod.get(req.method === "HEAD" ? "GET" : req.method);
    if (serve) return serve(req, res, found.params);
    res.setHeader("Allow", allow);
    if (req.method !== "OPTIONS") throw new ServiceError("method_not_allowed");
    tellAllowance(res, await limits.lookByAddress(contextOf(req).address));
    res.status(204).end();
  });
  app.use("/docs", countPage(limits, "docs"), docsPage());
  app.use("/account", countPage(limits, "docs"), accountPages());
  if (deps.readFile) app.use("/files", countPage(limits, "files"), filesPage(deps.readFile));
  if (deps.pages) {
    app.use(...deps.pages({ page: countPage(limits, "pages"), file: countPage(limits, "bulk_reads") }));
  }
  app.use(() => {
    throw new ServiceError("not_found");
  });
  app.use(countRefusal(limits));
  app.use(createAnswerError({ audit, onRefused }));
  const answer: RequestListener = (req, res) => {
    giveTarget(req);
    app(req, res);
  };
  return { answer, operations, messages };
}

/** HTTP/1.1 wants one, and addresses that we give out may be made of it. */
function requireHost({ headers }: Request): void {
  if (!headers.host) throw invalid([{ path: "/header/host", rule: "required", message: "is missing" }]);
}

/** These are no operations of the contract, and large. */
function countPage(limits: Limits, bucket: "docs" | "files" | "pages" | "bulk_reads"): RequestHandler {
  return async (req, res, next) => {
    tellAllowance(res, await limits.byOperation(bucket, { kind: "anonymous" }, contextOf(req).address, ""));
    next();
  };
}

type Route = { byMethod: Map<string, Serve>; allow: string };

function routesOf(
  document: OpenApiDocument,
  serving: Parameters<typeof serveOperation>[1],
): [path: string, Route][] {
  const routes = new Map<string, Map<string, Serve>>();
  for (const documented of operationsOf(document)) {
    const byMethod = routes.get(documented.path) ?? new Map<string, Serve>();
    byMethod.set(documented.method.toUpperCase(), serveOperation(documented, serving));
    routes.set(documented.path, byMethod);
  }
  return [...routes].map(([path, byMethod]) => [path, { byMethod, allow: allowOf(byMethod) }]);
}

function allowOf(byMethod: Map<string, Serve>): string {
  const methods = METHODS.map((method) => method.toUpperCase()).filter((method) => byMethod.has(method));
  return [...methods, ...(byMethod.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}
