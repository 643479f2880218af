import type { LifecycleCalls } from "../../actors/actors.ts";
import type { Features, FeaturesDeps } from "../../actors/features.ts";

/**
 * What a module of routes may take, by these names: the features, the calls of each lifecycle, and what both are built
 * from. A module adds settings that only it needs by itself. Neither `mongo` nor `redis` is included: a feature opens what
 * it reads. Nor are the parts of accounts that few modules need, such as sign-in: these modules name them besides.
 */
export type RouteDeps = Features &
  LifecycleCalls &
  Pick<
    FeaturesDeps,
    | ("points" | "directory" | "staff" | "rooms" | "presence" | "streams" | "grantedRoles")
    | ("chatBans" | "follows" | "audit" | "clock")
  >;
