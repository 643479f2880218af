/** Made from the modules of actors by `npm run generate`. */
import type { CallsDeps, DefinitionDeps } from "../host/lifecycle.ts";
import { pollsLifecycle } from "../chat/poll/polls.ts";
import { unbanRequestsLifecycle } from "../chat/unban-request/unban-requests.ts";
import { broadcastsLifecycle } from "../live/live-stream/broadcasts.ts";
import { subscriptionsLifecycle } from "../monetization/subscription/subscriptions.ts";
import { predictionsLifecycle } from "../points/prediction/predictions.ts";
import { redemptionsLifecycle } from "../points/redemption/redemptions.ts";
import { rewardsLifecycle } from "../points/reward/rewards.ts";
import { raidsLifecycle } from "../raids/raid/raids.ts";
import { reportsLifecycle } from "../safety/report/reports.ts";

/** The definition of each kind of actor. */
export const defineAll = (deps: DefinitionDeps) => ({
  polls: pollsLifecycle.define(deps),
  unbanRequests: unbanRequestsLifecycle.define(deps),
  broadcasts: broadcastsLifecycle.define(deps),
  subscriptions: subscriptionsLifecycle.define(deps),
  predictions: predictionsLifecycle.define(deps),
  redemptions: redemptionsLifecycle.define(deps),
  rewards: rewardsLifecycle.define(deps),
  raids: raidsLifecycle.define(deps),
  reports: reportsLifecycle.define(deps),
});

/** The calls of each kind, each under its name. */
export const openAll = (deps: CallsDeps, definitions: ReturnType<typeof defineAll>) => ({
  polls: pollsLifecycle.open({ ...deps, definition: definitions.polls }),
  unbanRequests: unbanRequestsLifecycle.open({ ...deps, definition: definitions.unbanRequests }),
  broadcasts: broadcastsLifecycle.open({ ...deps, definition: definitions.broadcasts }),
  subscriptions: subscriptionsLifecycle.open({ ...deps, definition: definitions.subscriptions }),
  predictions: predictionsLifecycle.open({ ...deps, definition: definitions.predictions }),
  redemptions: redemptionsLifecycle.open({ ...deps, definition: definitions.redemptions }),
  rewards: rewardsLifecycle.open({ ...deps, definition: definitions.rewards }),
  raids: raidsLifecycle.open({ ...deps, definition: definitions.raids }),
  reports: reportsLifecycle.open({ ...deps, definition: definitions.reports }),
});
