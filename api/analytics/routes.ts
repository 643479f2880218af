import type { Analytics } from "../../actors/analytics/analytics.ts";
import type { Operations } from "../http/bind.ts";

const DEFAULT_PERIOD = "30d";

export function analyticsRoutes(
  { bind }: Operations,
  { analytics }: { analytics: Pick<Analytics, "ofCreator"> },
): void {
  bind("getCreatorAnalytics", ({ caller, query }) =>
    analytics.ofCreator(caller.userId, query.period ?? DEFAULT_PERIOD),
  );
}
