import express, { type RequestHandler, type Router } from "express";
import { ServiceError } from "../../contract/errors.ts";
import { type DocumentedOperation, METHODS } from "../../contract/openapi-document.ts";
import { contextOf } from "./context.ts";
import { type Limits, setRateLimitHeaders } from "./limits.ts";

type RouterDeps = {
  serve(operation: DocumentedOperation): RequestHandler<Record<string, string>>;
  limits: Pick<Limits, "lookByAddress">;
};

const PARAMETER = /\{(\w+)\}/g;

/**
 * One Express router for each tag of the document. A path with a fixed segment comes before one with a parameter there, as OpenAPI
 * wants it, so that /v1/streams/me isn't a stream's id. Throws when that order can't be had.
 */
export function createRouters(
  operations: readonly DocumentedOperation[],
  { serve, limits }: RouterDeps,
): Router[] {
  const byTag = new Map<string, Map<string, DocumentedOperation[]>>();
  for (const documented of operations) {
    const [tag = ""] = documented.operation.tags ?? [];
    const paths = byTag.get(tag) ?? new Map<string, DocumentedOperation[]>();
    paths.set(documented.path, [...(paths.get(documented.path) ?? []), documented]);
    byTag.set(tag, paths);
  }
  const routers = [...byTag.values()].map((paths) => {
    const inOrder = [...paths].sort(([one], [other]) => compareSegments(one, other));
    const router = express.Router({ caseSensitive: true });
    for (const [path, ofPath] of inOrder) addRoute(router, path, ofPath, { serve, limits });
    return { router, paths: inOrder.map(([path]) => path) };
  });
  requireOrder(routers.flatMap(({ paths }) => paths));
  return routers.map(({ router }) => router);
}

function addRoute(
  router: Router,
  path: string,
  operations: readonly DocumentedOperation[],
  { serve, limits }: RouterDeps,
): void {
  const route = router.route(path.replaceAll(PARAMETER, ":$1"));
  for (const documented of operations) route[documented.method](serve(documented));
  const methods = METHODS.filter((method) => operations.some((one) => one.method === method));
  const allow = [...methods, ...(methods.includes("get") ? ["head"] : []), "options"]
    .join(", ")
    .toUpperCase();
  route.all(answerOtherMethods(allow, limits));
}

const answerOtherMethods =
  (allow: string, limits: RouterDeps["limits"]): RequestHandler =>
  async (req, res) => {
    res.setHeader("Allow", allow);
    if (req.method !== "OPTIONS") throw new ServiceError("method_not_allowed");
    setRateLimitHeaders(res, await limits.lookByAddress(contextOf(req).address));
    res.status(204).end();
  };

/** Fixed segments first. */
function compareSegments(one: string, other: string): number {
  const shapeOf = (path: string) => path.split("/").map(isParameter).map(Number).join("");
  return shapeOf(one) < shapeOf(other) ? -1 : Number(shapeOf(one) > shapeOf(other));
}

/** Across routers, too: of two paths that match one request, the one with the fixed segment must come first. */
function requireOrder(paths: readonly string[]): void {
  for (const [i, path] of paths.entries()) {
    const hidden = paths
      .slice(i + 1)
      .find((later) => overlap(path, later) && compareSegments(path, later) >= 0);
    if (hidden !== undefined) throw new Error(`${path} hides ${hidden}, which comes after it`);
  }
}

function overlap(path: string, later: string): boolean {
  const segments = path.split("/");
  const others = later.split("/");
  const isEither = (one: string, other = "") => isParameter(one) || isParameter(other) || one === other;
  return segments.length === others.length && segments.every((segment, i) => isEither(segment, others[i]));
}

const isParameter = (segment: string): boolean => segment.startsWith("{");
