/** Made from the modules of actors by `npm run generate`. */
import { userResource } from "../accounts/profile/directory.ts";
import { streamResource } from "../channels/channels.ts";
import { pollResource } from "../chat/poll/polls.ts";
import { clipResource } from "../live/clips/clips.ts";
import { videoResource } from "../live/playback/media.ts";
import { predictionResource } from "../points/prediction/predictions.ts";
import { redemptionResource } from "../points/redemption/redemptions.ts";
import { rewardResource } from "../points/reward/rewards.ts";
import { raidResource } from "../raids/raid/raids.ts";

/** What loads each kind of resource that a path names. */
export const RESOURCES = {
  user: userResource,
  stream: streamResource,
  poll: pollResource,
  clip: clipResource,
  video: videoResource,
  prediction: predictionResource,
  redemption: redemptionResource,
  reward: rewardResource,
  raid: raidResource,
} as const;
