import express from "express";
import helmet from "helmet";
import { ServiceError } from "../../specs/contract/errors.ts";
import { METHODS, operationsOf, readOpenApi } from "../../specs/contract/openapi-document.ts";
import type { Log } from "../../store/log.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { type Authenticator, createAuthenticate } from "./authenticate.ts";
import { createOperations, type Operations } from "./bind.ts";
import { type Answered, requestContext } from "./context.ts";
import { cors } from "./cors.ts";
import { docsPage } from "./docs.ts";
import { answerError } from "./error-response.ts";
import { createLimits } from "./limits.ts";
import { type Serve, serveOperation } from "./serve.ts";
import { createValidation } from "./validate.ts";

export type AppDeps = {
  identity: Authenticator;
  redis: RedisConnection;
  log: Log;
  systemKey: string;
  allowedOrigins: readonly string[];
  /** Addresses and networks whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[];
  rateLimitFactor: number;
  /** Specs only: an answer that the document doesn't describe becomes a 500 that says so. */
  checkResponses?: boolean;
  /** Told of every answer, for metrics. */
  onAnswered?: (answered: Answered) => void;
};

/**
 * The HTTP side without its routes: areas give each operation its handler by `operations.bind`, then
 * `operations.complete()` makes sure that none is left out.
 */
export function createApp(deps: AppDeps): { app: express.Express; operations: Operations } {
  const document = readOpenApi();
  const { operations, handlerOf } = createOperations(document);
  const serving = {
    document,
    validation: createValidation(document),
    authenticate: createAuthenticate(deps),
    limits: createLimits({ redis: deps.redis, factor: deps.rateLimitFactor, log: deps.log }),
    handlerOf,
    checkResponses: deps.checkResponses ?? false,
  };

  const app = express();
  app.disable("x-powered-by");
  // A 304 would be an answer that is neither 2xx nor the envelope.
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", false);
  app.set("trust proxy", [...deps.trustedProxies]);
  app.use(requestContext(deps.log, deps.onAnswered ?? (() => undefined)));
  app.use(helmet({ contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } } }));
  app.use(cors(deps.allowedOrigins));
  app.use("/docs", docsPage());

  for (const [path, byMethod] of routesOf(document, serving)) {
    const allow = allowOf(byMethod);
    app.all(path.replaceAll(/\{(\w+)\}/g, ":$1"), async (req, res) => {
      const serve = byMethod.get(req.method === "HEAD" ? "GET" : req.method);
      if (serve) return serve(req, res);
      res.setHeader("Allow", allow);
      if (req.method !== "OPTIONS") throw new ServiceError("method_not_allowed");
      res.status(204).end();
    });
  }
  app.use(() => {
    throw new ServiceError("not_found");
  });
  app.use(answerError);
  return { app, operations };
}

/** By path, fixed segments before parameters, as OpenAPI matches: /v1/streams/me isn't a stream's id. */
function routesOf(
  document: ReturnType<typeof readOpenApi>,
  serving: Parameters<typeof serveOperation>[1],
): [path: string, Map<string, Serve>][] {
  const routes = new Map<string, Map<string, Serve>>();
  for (const documented of operationsOf(document)) {
    const byMethod = routes.get(documented.path) ?? new Map<string, Serve>();
    byMethod.set(documented.method.toUpperCase(), serveOperation(documented, serving));
    routes.set(documented.path, byMethod);
  }
  // "{" sorts behind every letter.
  return [...routes].sort(([a], [b]) => (a < b ? -1 : 1));
}

function allowOf(byMethod: Map<string, Serve>): string {
  const methods = METHODS.map((method) => method.toUpperCase()).filter((method) => byMethod.has(method));
  return [...methods, ...(byMethod.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}
