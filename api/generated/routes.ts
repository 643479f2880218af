/** Made from the modules of api by `npm run generate`. */
import { accountRoutes } from "../accounts/account-routes.ts";
import { authRoutes } from "../accounts/auth-routes.ts";
import { deviceRoutes } from "../accounts/device-routes.ts";
import { emailRoutes } from "../accounts/email-routes.ts";
import { invitationRoutes } from "../accounts/invitation-routes.ts";
import { oauthRoutes } from "../accounts/oauth-routes.ts";
import { passkeyRoutes } from "../accounts/passkey-routes.ts";
import { tokenRoutes } from "../accounts/token-routes.ts";
import { twoFactorRoutes } from "../accounts/two-factor-routes.ts";
import { userRoutes } from "../accounts/users-routes.ts";
import { channelPageRoutes } from "../channels/channel-page-routes.ts";
import { hostingRoutes } from "../channels/hosting-routes.ts";
import { overlayRoutes } from "../channels/overlay-routes.ts";
import { scheduleRoutes } from "../channels/schedule-routes.ts";
import { socialRoutes } from "../channels/social-routes.ts";
import { streamRoutes } from "../channels/streams-routes.ts";
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
import { unbanRequestRoutes } from "../chat/unban-request-routes.ts";
import { whisperRoutes } from "../chat/whispers-routes.ts";
import { analyticsRoutes } from "../discovery/analytics-routes.ts";
import { discoveryRoutes } from "../discovery/routes.ts";
import { searchRoutes } from "../discovery/search-routes.ts";
import { seoRoutes } from "../discovery/seo/routes.ts";
import { discoveryStaffRoutes } from "../discovery/staff-routes.ts";
import { clipRoutes } from "../live/clips-routes.ts";
import { ingestRoutes } from "../live/ingest-routes.ts";
import { markerRoutes } from "../live/marker-routes.ts";
import { playbackRoutes } from "../live/playback-routes.ts";
import { videoRoutes } from "../live/videos-routes.ts";
import { viewerRoutes } from "../live/viewers-routes.ts";
import { monetizationRoutes } from "../monetization/routes.ts";
import { notificationRoutes } from "../notifications/routes.ts";
import { predictionRoutes } from "../points/predictions-routes.ts";
import { redemptionRoutes } from "../points/redemptions-routes.ts";
import { rewardRoutes } from "../points/rewards-routes.ts";
import { pointsRoutes } from "../points/routes.ts";
import { raidRoutes } from "../raids/routes.ts";
import { safetyRoutes } from "../safety/routes.ts";
import { staffRoutes } from "../safety/staff-routes.ts";
import { instanceRoutes } from "../system/instance-routes.ts";
import { systemRoutes } from "../system/routes.ts";

/** Every module of routes. */
export const ROUTES = [
  accountRoutes,
  authRoutes,
  deviceRoutes,
  emailRoutes,
  invitationRoutes,
  oauthRoutes,
  passkeyRoutes,
  tokenRoutes,
  twoFactorRoutes,
  userRoutes,
  channelPageRoutes,
  hostingRoutes,
  overlayRoutes,
  scheduleRoutes,
  socialRoutes,
  streamRoutes,
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
  unbanRequestRoutes,
  whisperRoutes,
  analyticsRoutes,
  discoveryRoutes,
  searchRoutes,
  seoRoutes,
  discoveryStaffRoutes,
  clipRoutes,
  ingestRoutes,
  markerRoutes,
  playbackRoutes,
  videoRoutes,
  viewerRoutes,
  monetizationRoutes,
  notificationRoutes,
  predictionRoutes,
  redemptionRoutes,
  rewardRoutes,
  pointsRoutes,
  raidRoutes,
  safetyRoutes,
  staffRoutes,
  instanceRoutes,
  systemRoutes,
] as const;
