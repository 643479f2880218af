/** Made from the modules of actors by `npm run generate`. */
import type { FeatureDeps } from "../features/deps.ts";
import { createActivityFeed } from "../channels/activity-feed.ts";
import { createCategories } from "../channels/categories.ts";
import { createChannelAccess } from "../channels/channel-access.ts";
import { createHosting } from "../channels/hosting.ts";
import { createModeratedChannels } from "../channels/moderated-channels.ts";
import { createViewerTexts } from "../channels/viewer-texts.ts";
import { createRestrictions } from "../chat/moderation/restrictions.ts";
import { createShownBadges } from "../chat/sets/shown-badges.ts";
import { createWhispers } from "../chat/whispers/whispers.ts";
import { createCatalogue } from "../discovery/category-catalogue.ts";
import { createRecommendations } from "../discovery/recommendations.ts";
import { createSearchWeights } from "../discovery/search/weights.ts";
import { createClipLikes } from "../live/clips/likes.ts";
import { createViewCounts } from "../live/clips/view-counts.ts";
import { createVideoTimes } from "../live/playback/video-times.ts";
import { createNotificationPreferences } from "../notifications/preferences.ts";
import { createUnsubscribing } from "../notifications/unsubscribing.ts";

/** The features that need no other one, each under its name. */
export const createIndependent = (deps: FeatureDeps) => ({
  activityFeed: createActivityFeed(deps),
  categories: createCategories(deps),
  channelAccess: createChannelAccess(deps),
  hosting: createHosting(deps),
  moderatedChannels: createModeratedChannels(deps),
  viewerTexts: createViewerTexts(deps),
  restrictions: createRestrictions(deps),
  shownBadges: createShownBadges(deps),
  whispers: createWhispers(deps),
  catalogue: createCatalogue(deps),
  recommendations: createRecommendations(deps),
  searchWeights: createSearchWeights(deps),
  clipLikes: createClipLikes(deps),
  viewCounts: createViewCounts(deps),
  videoTimes: createVideoTimes(deps),
  notificationPreferences: createNotificationPreferences(deps),
  unsubscribing: createUnsubscribing(deps),
});
