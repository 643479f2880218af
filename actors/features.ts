import type { Presence } from "../realtime/rooms/presence.ts";
import type { Rooms } from "../realtime/rooms/rooms.ts";
import type { UserEvents } from "../realtime/rooms/user-events.ts";
import type { Audit } from "../store/audit.ts";
import type { FileStore } from "../store/files/file-store.ts";
import type { Meter } from "../store/metrics.ts";
import type { ChannelPeople } from "../store/mongo/channel-people.ts";
import type { Follows } from "../store/mongo/follows.ts";
import type { Streams } from "../store/mongo/streams.ts";
import { createAccountErasure } from "./account/erasure.ts";
import { createAccountExport } from "./account/export.ts";
import { createPictures } from "./account/pictures.ts";
import { createSeoTags } from "./account/seo-tags.ts";
import type { Actors, ActorsDeps } from "./actors.ts";
import { createAnalytics } from "./analytics/analytics.ts";
import { createBlocking } from "./channels/blocking.ts";
import { createCategories } from "./channels/categories.ts";
import { createChannelRoles } from "./channels/channel-roles.ts";
import { createChannels } from "./channels/channels.ts";
import { createFollowing } from "./channels/following.ts";
import { createHosting } from "./channels/hosting.ts";
import { createLiveStreams } from "./channels/live-streams.ts";
import { createMentions } from "./channels/mentions.ts";
import { createRoomChanges } from "./channels/room-changes.ts";
import { createWatching } from "./channels/watching.ts";
import { createBadgeGrants } from "./chat-sets/badge-grants.ts";
import { createBadgeSets } from "./chat-sets/badges.ts";
import { builtInFile } from "./chat-sets/built-in-badges.ts";
import { createEmoteSets } from "./chat-sets/emotes.ts";
import { createSetAdditions } from "./chat-sets/set-additions.ts";
import { createSetChanges } from "./chat-sets/set-changes.ts";
import { createClips } from "./clips/clips.ts";
import { createClipLikes } from "./clips/likes.ts";
import type { MediaService } from "./clips/media-service.ts";
import { createClipRequests } from "./clips/requests.ts";
import { createViewCounts } from "./clips/view-counts.ts";
import { createCategoryCatalogue } from "./discovery/category-catalogue.ts";
import { createCategoryChanges } from "./discovery/category-changes.ts";
import { createDiscoveryChanges } from "./discovery/discovery-changes.ts";
import { createFeatured } from "./discovery/featured.ts";
import { createHome } from "./discovery/home.ts";
import { createRecommendations } from "./discovery/recommendations.ts";
import type { OnAlert } from "./hooks/metrics.ts";
import { createAuditTrail } from "./identity/audit-trail.ts";
import type { Identity } from "./identity/identity.ts";
import { createSealing, type MasterKey } from "./identity/sealing.ts";
import { createIngest } from "./ingest/ingest.ts";
import type { MediaControl } from "./ingest/media-control.ts";
import { createPublisherDrops } from "./ingest/publisher-drops.ts";
import type { Mails } from "./mail/mails.ts";
import { createModeration } from "./moderation/moderation.ts";
import { createNotifications } from "./notifications/notifications.ts";
import { createNotificationPreferences } from "./notifications/preferences.ts";
import { createUnsubscribing } from "./notifications/unsubscribing.ts";
import { createOauth } from "./oauth/oauth.ts";
import type { OauthSettings } from "./oauth/provider.ts";
import { createBilling, type PaymentSettings } from "./payments/billing.ts";
import { createPayments } from "./payments/payments.ts";
import { createTips } from "./payments/tips.ts";
import type { Edge } from "./playback/edge-links.ts";
import { createMedia } from "./playback/media.ts";
import { createPlayback } from "./playback/playback.ts";
import { createPushDevices } from "./push/push-devices.ts";
import { createPushes } from "./push/pushes.ts";
import type { PushSenders } from "./push/senders.ts";
import { createAccountDirectory } from "./safety/accounts.ts";
import { createAppeals } from "./safety/appeals.ts";
import { createReportHandling } from "./safety/report-handling.ts";
import { createSanctions } from "./safety/sanctions.ts";
import { createSupport } from "./safety/support.ts";
import { createSchedule } from "./schedule/schedule.ts";
import { createSearch } from "./search/search.ts";
import { createSearchWeights } from "./search/weights.ts";
import { createSeo } from "./seo/seo.ts";
import { createWhispers } from "./whispers/whispers.ts";

/** What a feature may take, by these names. It opens the collections that are its own by `mongo`. */
export type FeatureDeps = Actors &
  Pick<ActorsDeps, "mongo" | "redis" | "clock" | "log"> & {
    audit: Audit;
    meter: Meter;
    streams: Streams;
    people: ChannelPeople;
    follows: Follows;
    rooms: Rooms;
    presence: Presence;
    userEvents: UserEvents;
    identity: Identity;
    masterKey: MasterKey;
    /** Where encoders publish to. */
    ingestUrl: string;
    paymentSettings: PaymentSettings;
    onAlert: OnAlert;
    /** Where clients and other machines reach the service. */
    publicUrl: string;
    edge: Edge;
    files: FileStore;
    mediaControl: MediaControl;
    mediaService: MediaService | null;
    mails: Mails;
    pushSenders: PushSenders;
    oauthSettings: OauthSettings;
  };

/** Domain rules without a lifecycle, each a feature. Routes get each under its name. */
export function createFeatures(deps: FeatureDeps) {
  const changes = createRoomChanges(deps);
  const channelRoles = createChannelRoles({ people: deps.people, isStaff: deps.identity.isStaff });
  const categories = createCategories(deps);
  const auditTrail = createAuditTrail(deps);
  const sanctions = createSanctions({ ...deps, auditTrail });
  const channels = createChannels({ ...deps, changes, categories, sealing: createSealing(deps.masterKey) });
  const tips = createTips(deps);
  const following = createFollowing(deps);
  const hosting = createHosting(deps);
  const mentions = createMentions(deps);
  const pictures = createPictures(deps);
  const clips = createClips(deps);
  const clipLikes = createClipLikes(deps);
  const changeSet = createSetChanges({ ...deps, changes, auditTrail });
  const addToSet = createSetAdditions({ ...deps, changeSet });
  const catalogue = createCategoryCatalogue(deps);
  const changeDiscovery = createDiscoveryChanges({ ...deps, auditTrail });
  const featured = createFeatured({ ...deps, changeDiscovery });
  const recommendations = createRecommendations(deps);
  const notificationPreferences = createNotificationPreferences(deps);
  const pushDevices = createPushDevices({ ...deps, sealing: createSealing(deps.masterKey) });
  const { quietUntil } = notificationPreferences;
  const pushes = createPushes({ ...deps, senders: deps.pushSenders, devices: pushDevices, quietUntil });
  const unsubscribing = createUnsubscribing(deps);
  return {
    analytics: createAnalytics(deps),
    emoteSets: createEmoteSets({ ...deps, changeSet, addToSet, pictures }),
    badgeSets: createBadgeSets({ ...deps, changeSet, addToSet, pictures }),
    badgeGrants: createBadgeGrants({ ...deps, changeSet }),

    categories,
    channelRoles,
    channels,
    liveStreams: createLiveStreams({ ...deps, categories }),
    catalogue,
    categoryChanges: createCategoryChanges({ ...deps, changeDiscovery, pictures, catalogue }),
    featured,
    recommendations,
    home: createHome({ ...deps, featured, following, catalogue, recommendations }),
    following,
    blocking: createBlocking(deps),
    hosting,
    mentions,
    watching: createWatching({ ...deps, tierOf: deps.subscriptions.tierOf }),
    moderation: createModeration({ ...deps, changes, channelRoles, channels, mentions }),
    ingest: createIngest(deps),
    publisherDrops: createPublisherDrops(deps),
    tips,
    payments: createPayments({ ...deps, ...deps.paymentSettings }),
    billing: createBilling({ ...deps, tips }),
    playback: createPlayback(deps),
    media: createMedia(deps),
    clips,
    clipLikes,
    clipRequests: createClipRequests(deps),
    viewCounts: createViewCounts(deps),

    oauth: createOauth(deps),
    pictures,
    /** What is served at /files; null when there is none of that name. */
    readFile: async (name: string) => builtInFile(name) ?? pictures.read(name),
    seoTags: createSeoTags(deps),
    accountExport: createAccountExport(deps),
    accountErasure: createAccountErasure({ ...deps, following, hosting, pictures, clips, clipLikes }),

    auditTrail,
    sanctions,
    reportHandling: createReportHandling({ ...deps, sanctions, auditTrail }),
    appeals: createAppeals({ ...deps, auditTrail }),
    support: createSupport({ ...deps, auditTrail }),
    accountDirectory: createAccountDirectory({ ...deps, auditTrail }),

    search: createSearch(deps),
    searchWeights: createSearchWeights(deps),

    whispers: createWhispers(deps),
    seo: createSeo({ ...deps, categories }),
    schedule: createSchedule({ ...deps, categories }),

    notifications: createNotifications({ ...deps, pushes, unsubscribing }),
    notificationPreferences,
    unsubscribing,
    pushDevices,
    pushes,
  };
}
