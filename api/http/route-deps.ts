import type { Identity } from "../../actors/accounts/identity.ts";
import type { LifecycleCalls } from "../../actors/actors.ts";
import type { Features, FeaturesDeps } from "../../actors/features.ts";

/**
 * What a module of routes may take, by these names: the features, the calls of each lifecycle, and what both are built
 * from. A module adds settings that only it needs by itself. Neither `mongo` nor `redis` is included: a feature opens what
 * it reads.
 */
export type RouteDeps = Features &
  LifecycleCalls &
  Pick<
    FeaturesDeps,
    | ("points" | "rooms" | "presence" | "streams" | "grantedRoles")
    | ("chatBans" | "follows" | "audit" | "clock")
  > & { identity: Identity };
