import { ROUTES } from "./generated/routes.ts";
import type { Operations } from "./http/bind.ts";
import { createResources, type ResourceDeps } from "./http/resources.ts";

/** Everything that modules of routes ask for, together. */
export type ApiDeps = ResourceDeps &
  ((typeof ROUTES)[number] extends (operations: Operations, deps: infer Deps) => void ? Deps : never);

/** Gives every operation of the contract its route; throws for one without a route. */
export function registerRoutes(operations: Operations, deps: ApiDeps): void {
  for (const routes of ROUTES) routes(operations, deps);
  operations.complete(createResources(deps));
}
