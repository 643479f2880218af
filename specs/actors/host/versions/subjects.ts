import type { World } from "../world.ts";
import { liveStreamSubject } from "./live-stream-subject.ts";
import { pollSubject } from "./poll-subject.ts";
import { predictionSubject } from "./prediction-subject.ts";
import { raidSubject } from "./raid-subject.ts";
import { redemptionSubject } from "./redemption-subject.ts";
import { reportSubject } from "./report-subject.ts";
import { rewardSubject } from "./reward-subject.ts";
import type { Subject } from "./stage.ts";
import { subscriptionSubject } from "./subscription-subject.ts";

/** Every machine that the service runs. */
export const SUBJECTS: Record<string, (world: World) => Subject> = {
  prediction: predictionSubject,
  "live-stream": liveStreamSubject,
  reward: rewardSubject,
  redemption: redemptionSubject,

  report: reportSubject,
  subscription: subscriptionSubject,
  raid: raidSubject,
  poll: pollSubject,
};
