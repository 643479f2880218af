import type { Db } from "mongodb";
import type { Log } from "../base/log.ts";
import type { Meter } from "../base/metrics.ts";
import { pollDefinition } from "./chat/poll/definition.ts";
import { liveStreamDefinition } from "./live/live-stream/definition.ts";
import { subscriptionDefinition } from "./monetization/subscription/definition.ts";
import { predictionDefinition } from "./points/prediction/definition.ts";
import { redemptionDefinition } from "./points/redemption/definition.ts";
import { rewardDefinition } from "./points/reward/definition.ts";
import { raidDefinition, type ShowsRaidMessage } from "./raids/raid/definition.ts";
import { RAID_METRICS } from "./raids/raid/metrics.ts";
import { reportDefinition } from "./safety/report/definition.ts";

/** The definitions of all actors. */
export const definitionsIn = (
  db: Db,
  { log, meter, showsRaidMessage }: { log: Log; meter: Meter; showsRaidMessage: ShowsRaidMessage },
) => ({
  prediction: predictionDefinition(db),
  liveStream: liveStreamDefinition(db),
  reward: rewardDefinition(db),
  redemption: redemptionDefinition(db),
  report: reportDefinition(db),
  subscription: subscriptionDefinition(db),
  raid: raidDefinition(db, log, meter.record(RAID_METRICS), showsRaidMessage),
  poll: pollDefinition(db),
});
