/** Made from the modules of specs/actors by `npm run generate`. */
import type { Subject } from "../host/subject.ts";
import { pollSubject } from "../chat/poll/subject.ts";
import { unbanRequestSubject } from "../chat/unban-request/subject.ts";
import { liveStreamSubject } from "../live/live-stream/subject.ts";
import { subscriptionSubject } from "../monetization/subscription/subject.ts";
import { predictionSubject } from "../points/prediction/subject.ts";
import { redemptionSubject } from "../points/redemption/subject.ts";
import { rewardSubject } from "../points/reward/subject.ts";
import { raidSubject } from "../raids/raid/subject.ts";
import { reportSubject } from "../safety/report/subject.ts";

/** What specs know of each machine. */
export const SUBJECTS: readonly Subject[] = [
  pollSubject,
  unbanRequestSubject,
  liveStreamSubject,
  subscriptionSubject,
  predictionSubject,
  redemptionSubject,
  rewardSubject,
  raidSubject,
  reportSubject,
];
