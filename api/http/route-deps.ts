import type { Features, FeaturesDeps } from "../../actors/features.ts";

/**
 * What a module of routes may take, by these names: features, what offers each kind of actor, and what both are made of. A
 * setting that one module alone takes it adds by itself. Neither `mongo` nor `redis`: a feature opens what it reads.
 */
export type RouteDeps = Features &
  Pick<
    FeaturesDeps,
    | ("broadcasts" | "points" | "polls" | "predictions" | "raids" | "redemptions" | "reports" | "rewards")
    | (
        | "subscriptions"
        | "identity"
        | "rooms"
        | "presence"
        | "streams"
        | "people"
        | "follows"
        | "audit"
        | "clock"
      )
  >;
