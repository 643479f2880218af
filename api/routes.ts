import { ROUTES } from "./generated/routes.ts";
import type { Operations } from "./http/bind.ts";
import { createResources, type ResourceDeps } from "./http/resources.ts";

/** The dependencies of all modules of routes together. */
type ApiDeps = ResourceDeps &
  ((typeof ROUTES)[number] extends (operations: Operations, deps: infer Deps) => void ? Deps : never);

/** Binds every operation of the contract; throws if one has no route. */
export function registerRoutes(operations: Operations, deps: ApiDeps): void {
  for (const routes of ROUTES) routes(operations, deps);
  operations.complete(createResources(deps));
}
