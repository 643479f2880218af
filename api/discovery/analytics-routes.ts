import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";

const DEFAULT_PERIOD = "30d";

export function analyticsRoutes({ bind }: Operations, { analytics }: RouteDeps): void {
  bind("getCreatorAnalytics", ({ caller, query }) =>
    analytics.ofCreator(caller.userId, query.period ?? DEFAULT_PERIOD),
  );
}
