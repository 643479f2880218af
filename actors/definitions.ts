import type { Db } from "mongodb";
import type { Log } from "../base/log.ts";
import type { Meter } from "../base/metrics.ts";
import { liveStreamDefinition } from "./live-stream/definition.ts";
import { pollDefinition } from "./poll/definition.ts";
import { predictionDefinition } from "./prediction/definition.ts";
import { raidDefinition, type ShowsRaidMessage } from "./raid/definition.ts";
import { RAID_METRICS } from "./raid/metrics.ts";
import { redemptionDefinition } from "./redemption/definition.ts";
import { reportDefinition } from "./report/definition.ts";
import { rewardDefinition } from "./reward/definition.ts";
import { subscriptionDefinition } from "./subscription/definition.ts";

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
