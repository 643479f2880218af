/** Made from the modules of specs/api by `npm run generate`. */
import type { ResourceRequests } from "../authorization/resource-requests.ts";
import { emailRequests } from "../accounts/email-requests.ts";
import { invitationRequests } from "../accounts/invitation-requests.ts";
import { passkeyRequests } from "../accounts/passkey-requests.ts";
import { providerRequests } from "../accounts/provider-requests.ts";
import { accountRequests } from "../accounts/requests.ts";
import { twoFactorRequests } from "../accounts/two-factor-requests.ts";
import { channelRequests } from "../channels/requests.ts";
import { heldRequests } from "../chat/held-requests.ts";
import { memberRequests } from "../chat/member-requests.ts";
import { pollRequests } from "../chat/poll-requests.ts";
import { chatRequests } from "../chat/requests.ts";
import { setRequests } from "../chat/set-requests.ts";
import { termRequests } from "../chat/term-requests.ts";
import { unbanRequestRequests } from "../chat/unban-request-requests.ts";
import { discoveryRequests } from "../discovery/requests.ts";
import { liveRequests } from "../live/requests.ts";
import { monetizationRequests } from "../monetization/requests.ts";
import { notificationRequests } from "../notifications/requests.ts";
import { predictionRequests } from "../points/prediction-requests.ts";
import { pointsRequests } from "../points/requests.ts";
import { rewardRequests } from "../points/reward-requests.ts";
import { raidRequests } from "../raids/requests.ts";
import { safetyRequests } from "../safety/requests.ts";
import { systemRequests } from "../system/requests.ts";

/** What specs of all operations know of each resource. */
export const REQUESTS: readonly ResourceRequests[] = [
  emailRequests,
  invitationRequests,
  passkeyRequests,
  providerRequests,
  accountRequests,
  twoFactorRequests,
  channelRequests,
  heldRequests,
  memberRequests,
  pollRequests,
  chatRequests,
  setRequests,
  termRequests,
  unbanRequestRequests,
  discoveryRequests,
  liveRequests,
  monetizationRequests,
  notificationRequests,
  predictionRequests,
  pointsRequests,
  rewardRequests,
  raidRequests,
  safetyRequests,
  systemRequests,
];
