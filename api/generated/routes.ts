/** Made from the modules of api by `npm run generate`. */
import { analyticsRoutes } from "../analytics/routes.ts";
import { emailRoutes } from "../auth/email-routes.ts";
import { oauthRoutes } from "../auth/oauth-routes.ts";
import { authRoutes } from "../auth/routes.ts";
import { tokenRoutes } from "../auth/token-routes.ts";
import { twoFactorRoutes } from "../auth/two-factor-routes.ts";
import { botRoutes } from "../chat/bot-routes.ts";
import { heldRoutes } from "../chat/held-routes.ts";
import { memberRoutes } from "../chat/member-routes.ts";
import { chatModerationRoutes } from "../chat/moderation-routes.ts";
import { pinRoutes } from "../chat/pin-routes.ts";
import { pollRoutes } from "../chat/poll-routes.ts";
import { roleAndBanRoutes } from "../chat/roles-and-bans-routes.ts";
import { chatRoutes } from "../chat/routes.ts";
import { chatSetRoutes } from "../chat/set-routes.ts";
import { termRoutes } from "../chat/term-routes.ts";
import { clipRoutes } from "../clips/routes.ts";
import { discoveryRoutes } from "../discovery/routes.ts";
import { discoveryStaffRoutes } from "../discovery/staff-routes.ts";
import { hostingRoutes } from "../hosting/routes.ts";
import { ingestRoutes } from "../ingest/routes.ts";
import { monetizationRoutes } from "../monetization/routes.ts";
import { notificationRoutes } from "../notifications/routes.ts";
import { playbackRoutes } from "../playback/routes.ts";
import { pointsRoutes } from "../points/routes.ts";
import { predictionRoutes } from "../predictions/routes.ts";
import { raidRoutes } from "../raids/routes.ts";
import { redemptionRoutes } from "../redemptions/routes.ts";
import { rewardRoutes } from "../rewards/routes.ts";
import { safetyRoutes } from "../safety/routes.ts";
import { staffRoutes } from "../safety/staff-routes.ts";
import { scheduleRoutes } from "../schedule/routes.ts";
import { searchRoutes } from "../search/routes.ts";
import { seoRoutes } from "../seo/routes.ts";
import { socialRoutes } from "../social/routes.ts";
import { streamRoutes } from "../streams/routes.ts";
import { systemRoutes } from "../system/routes.ts";
import { accountRoutes } from "../users/account-routes.ts";
import { deviceRoutes } from "../users/device-routes.ts";
import { userRoutes } from "../users/routes.ts";
import { videoRoutes } from "../videos/routes.ts";
import { viewerRoutes } from "../viewers/routes.ts";
import { whisperRoutes } from "../whispers/routes.ts";

/** Every module of routes. */
export const ROUTES = [
  analyticsRoutes,
  emailRoutes,
  oauthRoutes,
  authRoutes,
  tokenRoutes,
  twoFactorRoutes,
  botRoutes,
  heldRoutes,
  memberRoutes,
  chatModerationRoutes,
  pinRoutes,
  pollRoutes,
  roleAndBanRoutes,
  chatRoutes,
  chatSetRoutes,
  termRoutes,
  clipRoutes,
  discoveryRoutes,
  discoveryStaffRoutes,
  hostingRoutes,
  ingestRoutes,
  monetizationRoutes,
  notificationRoutes,
  playbackRoutes,
  pointsRoutes,
  predictionRoutes,
  raidRoutes,
  redemptionRoutes,
  rewardRoutes,
  safetyRoutes,
  staffRoutes,
  scheduleRoutes,
  searchRoutes,
  seoRoutes,
  socialRoutes,
  streamRoutes,
  systemRoutes,
  accountRoutes,
  deviceRoutes,
  userRoutes,
  videoRoutes,
  viewerRoutes,
  whisperRoutes,
] as const;
