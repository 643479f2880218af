import type { Features, FeaturesDeps } from "../../actors/features.ts";

/**
 * What a module of routes may take, by these names: the features, the access to each kind of actor, and what both are built
 * from. A module adds settings that only it needs by itself. Neither `mongo` nor `redis` is included: a feature opens what
 * it reads.
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
        | "grantedRoles"
        | "chatBans"
        | "follows"
        | "audit"
        | "clock"
      )
  >;
