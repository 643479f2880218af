import { blocksIn } from "../store/mongo/channels/blocks.ts";
import type { AccountParts } from "./accounts/accounts.ts";
import { createAccountErasure } from "./accounts/erasure/erasure.ts";
import { createAccountExport } from "./accounts/erasure/export.ts";
import { createSeoTags } from "./accounts/erasure/seo-tags.ts";
import { createOauth } from "./accounts/oauth/oauth.ts";
import type { OauthSettings } from "./accounts/oauth/provider.ts";
import { createPasskeys } from "./accounts/passkeys/passkeys.ts";
import { createInvitations } from "./accounts/staff/invitations.ts";
import { createAuditTrail } from "./accounts/standing/audit-trail.ts";
import type { Actors } from "./actors.ts";
import { createBlocking } from "./channels/blocking.ts";
import { createChannelRoles } from "./channels/channel-roles.ts";
import { createChannels } from "./channels/channels.ts";
import { createFollowing } from "./channels/following.ts";
import { createOverlays } from "./channels/overlays/overlays.ts";
import { createPictures } from "./channels/pictures/pictures.ts";
import { createRoomChanges } from "./channels/room-changes.ts";
import { createSchedule } from "./channels/schedule/schedule.ts";
import { createMentions } from "./chat/mentions/mentions.ts";
import { createMembershipEnd } from "./chat/moderation/membership-end.ts";
import { createModeration } from "./chat/moderation/moderation.ts";
import { createBadgeGrants } from "./chat/sets/badge-grants.ts";
import { createBadgeSets } from "./chat/sets/badges.ts";
import { builtInFile } from "./chat/sets/built-in-badges.ts";
import { createEmoteSets } from "./chat/sets/emotes.ts";
import { createSetAdditions } from "./chat/sets/set-additions.ts";
import { createSetChanges } from "./chat/sets/set-changes.ts";
import { createAnalytics } from "./discovery/analytics/analytics.ts";
import { createTimeline } from "./discovery/analytics/timeline.ts";
import { createCategoryChanges } from "./discovery/category-changes.ts";
import { createDiscoveryChanges } from "./discovery/discovery-changes.ts";
import { createFeatured } from "./discovery/featured.ts";
import { createHome } from "./discovery/home.ts";
import { createSearch } from "./discovery/search/search.ts";
import { createSeo } from "./discovery/seo/seo.ts";
import type { FeatureDeps } from "./features/deps.ts";
import { createIndependent } from "./generated/features.ts";
import type { OnAlert } from "./hooks/metrics.ts";
import { createSealing } from "./keys/sealing.ts";
import { createClips } from "./live/clips/clips.ts";
import { createClipRequests } from "./live/clips/requests.ts";
import { createIngest } from "./live/ingest/ingest.ts";
import type { MediaControl } from "./live/ingest/media-control.ts";
import { createPublisherDrops } from "./live/ingest/publisher-drops.ts";
import { createPublisherLeases } from "./live/ingest/publisher-leases.ts";
import { createMarkers } from "./live/markers.ts";
import type { Edge } from "./live/playback/edge-links.ts";
import { createMedia } from "./live/playback/media.ts";
import { createMediaChanges } from "./live/playback/media-changes.ts";
import type { MediaService } from "./live/playback/media-service.ts";
import { createPlayback } from "./live/playback/playback.ts";
import { createLiveStreams } from "./live/viewers/live-streams.ts";
import { createWatching } from "./live/viewers/watching.ts";
import { createBilling, type PaymentSettings } from "./monetization/payments/billing.ts";
import { createCheckoutStates } from "./monetization/payments/checkout-states.ts";
import { createCheckouts } from "./monetization/payments/checkouts.ts";
import { createTips } from "./monetization/payments/tips.ts";
import { createNotifications } from "./notifications/notifications.ts";
import { createPushDevices } from "./notifications/push/push-devices.ts";
import { createPushes } from "./notifications/push/pushes.ts";
import type { PushSenders } from "./notifications/push/senders.ts";
import type { Points } from "./points/ledger/points.ts";
import { createAccountDirectory } from "./safety/accounts.ts";
import { createAppeals } from "./safety/appeals.ts";
import { createReportHandling } from "./safety/report-handling.ts";
import { createSanctions } from "./safety/sanctions.ts";
import { createStaffLog } from "./safety/staff-log.ts";
import { createSupport } from "./safety/support.ts";

/** The dependencies from which features are assembled. Some are used by only one feature. */
export type FeaturesDeps = FeatureDeps &
  Actors &
  Pick<AccountParts, "signIn" | "recovery" | "sessions" | "twoFactor" | "accountBans" | "apiTokens"> & {
    points: Points;
    /** The URL to which encoders publish. */
    ingestUrl: string;
    paymentSettings: PaymentSettings;
    onAlert: OnAlert;
    edge: Edge;
    mediaControl: MediaControl;
    mediaService: MediaService | null;
    pushSenders: PushSenders;
    oauthSettings: OauthSettings;
    instanceName: string;
    allowedOrigins: readonly string[];
  };

export type Features = ReturnType<typeof createFeatures>;

/**
 * Domain rules without a lifecycle, each a feature. Routes get each one under its name. Features whose parameter is FeatureDeps, or a
 * Pick of it, are collected by `npm run generate`; here are those that depend on another feature, a lifecycle or a setting of their
 * own, or that declare less than FeatureDeps has, so that specs can open them alone.
 */
export function createFeatures(deps: FeaturesDeps) {
  const independent = createIndependent(deps);
  const { categories, hosting, clipLikes, catalogue, recommendations, unsubscribing } = independent;
  const { channelAccess, viewerTexts } = independent;
  const changes = createRoomChanges(deps);
  const channelRoles = createChannelRoles({
    grantedRoles: deps.grantedRoles,
    blocks: blocksIn(deps.mongo.db),
    isStaff: deps.staff.isStaff,
  });
  const auditTrail = createAuditTrail(deps);
  const sanctions = createSanctions({ ...deps, auditTrail });
  const channels = createChannels({ ...deps, changes, categories, sealing: createSealing(deps.masterKey) });
  const tips = createTips(deps);
  const following = createFollowing(deps);
  const mentions = createMentions(deps);
  const pictures = createPictures(deps);
  const clips = createClips({ ...deps, viewerTexts });
  const media = createMedia(deps);
  const publisherLeases = createPublisherLeases(deps);
  const changeSet = createSetChanges({ ...deps, changes, auditTrail });
  const addToSet = createSetAdditions({ ...deps, changeSet });
  const changeDiscovery = createDiscoveryChanges({ ...deps, auditTrail });
  const featured = createFeatured({ ...deps, changeDiscovery });
  const pushDevices = createPushDevices({ ...deps, sealing: createSealing(deps.masterKey) });
  const { quietUntil } = independent.notificationPreferences;
  const pushes = createPushes({ ...deps, senders: deps.pushSenders, devices: pushDevices, quietUntil });
  return {
    ...independent,

    accountExport: createAccountExport(deps),
    seoTags: createSeoTags(deps),

    analytics: createAnalytics(deps),
    timeline: createTimeline(deps),
    emoteSets: createEmoteSets({ ...deps, changeSet, addToSet, pictures }),
    badgeSets: createBadgeSets({ ...deps, changeSet, addToSet, pictures }),
    badgeGrants: createBadgeGrants({ ...deps, changeSet }),

    channelRoles,
    channels,
    liveStreams: createLiveStreams({ ...deps, categories }),
    categoryChanges: createCategoryChanges({ ...deps, changeDiscovery, pictures, catalogue }),
    featured,
    home: createHome({ ...deps, featured, following, catalogue, recommendations }),
    following,
    overlays: createOverlays(deps),
    blocking: createBlocking({ ...deps, membershipEnd: createMembershipEnd(deps) }),
    mentions,
    watching: createWatching({ ...deps, tierOf: deps.subscriptions.tierOf }),
    moderation: createModeration({
      ...deps,
      changes,
      channelRoles,
      channels,
      channelAccess,
      mentions,
    }),
    ingest: createIngest({ ...deps, publisherLeases }),
    publisherLeases,
    publisherDrops: createPublisherDrops(deps),
    tips,
    checkouts: createCheckouts({ ...deps, ...deps.paymentSettings, viewerTexts }),
    checkoutStates: createCheckoutStates(deps),
    billing: createBilling({ ...deps, tips }),
    playback: createPlayback(deps),
    media,
    markers: createMarkers({ ...deps, changes }),
    mediaChanges: createMediaChanges(deps),
    clips,
    clipRequests: createClipRequests(deps),

    oauth: createOauth(deps),
    passkeys: createPasskeys(deps),
    pictures,
    /** Reads a file served at /files; null when there is none of that name. */
    readFile: async (name: string) => builtInFile(name) ?? pictures.read(name),
    accountErasure: createAccountErasure({ ...deps, following, hosting, pictures, clips, clipLikes, media }),

    auditTrail,
    invitations: createInvitations({ ...deps, auditTrail }),
    sanctions,
    reportHandling: createReportHandling({ ...deps, sanctions, auditTrail }),
    appeals: createAppeals({ ...deps, auditTrail }),
    staffLog: createStaffLog(deps),
    support: createSupport({ ...deps, auditTrail }),
    accountDirectory: createAccountDirectory({ ...deps, auditTrail }),

    search: createSearch(deps),

    seo: createSeo({ ...deps, categories }),
    schedule: createSchedule({ ...deps, categories }),

    notifications: createNotifications({ ...deps, pushes, unsubscribing }),
    pushDevices,
    pushes,
  };
}
