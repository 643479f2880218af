/** Made from the modules of actors by `npm run generate`. */
import type { FeatureDeps } from "../features/deps.ts";
import { createCategories } from "../channels/categories.ts";
import { createChannelAccess } from "../channels/channel-access.ts";
import { createHosting } from "../channels/hosting.ts";
import { createViewerTexts } from "../channels/viewer-texts.ts";
import { createClipLikes } from "../clips/likes.ts";
import { createViewCounts } from "../clips/view-counts.ts";
import { createCatalogue } from "../discovery/category-catalogue.ts";
import { createRecommendations } from "../discovery/recommendations.ts";
import { createNotificationPreferences } from "../notifications/preferences.ts";
import { createUnsubscribing } from "../notifications/unsubscribing.ts";
import { createSearchWeights } from "../search/weights.ts";
import { createWhispers } from "../whispers/whispers.ts";

/** The features that need no other one, each under its name. */
export const createIndependent = (deps: FeatureDeps) => ({
  categories: createCategories(deps),
  channelAccess: createChannelAccess(deps),
  hosting: createHosting(deps),
  viewerTexts: createViewerTexts(deps),
  clipLikes: createClipLikes(deps),
  viewCounts: createViewCounts(deps),
  catalogue: createCatalogue(deps),
  recommendations: createRecommendations(deps),
  notificationPreferences: createNotificationPreferences(deps),
  unsubscribing: createUnsubscribing(deps),
  searchWeights: createSearchWeights(deps),
  whispers: createWhispers(deps),
});
