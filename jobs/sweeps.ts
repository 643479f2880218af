import type { Db } from "mongodb";
import type { AccountErasure } from "../actors/accounts/erasure/erasure.ts";
import type { Recovery } from "../actors/accounts/sign-in/recovery.ts";
import type { AuditTrail } from "../actors/accounts/standing/audit-trail.ts";
import type { Hosting } from "../actors/channels/hosting.ts";
import type { Pictures } from "../actors/channels/pictures/pictures.ts";
import type { Moderation } from "../actors/chat/moderation/moderation.ts";
import type { Analytics } from "../actors/discovery/analytics/analytics.ts";
import type { CategoryCatalogue } from "../actors/discovery/category-catalogue.ts";
import type { CategoryChanges } from "../actors/discovery/category-changes.ts";
import type { SearchWeights } from "../actors/discovery/search/weights.ts";
import type { HookInbox } from "../actors/hooks/inbox.ts";
import type { ClipFeature } from "../actors/live/clips/clips.ts";
import type { ClipRequests } from "../actors/live/clips/requests.ts";
import type { PublisherDrops } from "../actors/live/ingest/publisher-drops.ts";
import type { PublisherLeases } from "../actors/live/ingest/publisher-leases.ts";
import type { MediaChanges } from "../actors/live/playback/media-changes.ts";
import type { Mails } from "../actors/mail/mails.ts";
import type { BannedSellers } from "../actors/monetization/payments/banned-sellers.ts";
import type { PlatformCalls } from "../actors/monetization/payments/call-sweep.ts";
import type { Notifications } from "../actors/notifications/notifications.ts";
import type { Redemptions } from "../actors/points/redemption/redemptions.ts";
import type { Sanctions } from "../actors/safety/sanctions.ts";
import type { Clock } from "../base/clock.ts";
import { HOUR_MS, MINUTE_MS } from "../base/durations.ts";
import type { Log } from "../base/log.ts";
import { keys } from "../store/redis/keys.ts";
import type { RedisConnection } from "../store/redis/nodes.ts";
import { repeatWithLease } from "./tasks/repeat-with-lease.ts";

type Sweep<Parts> = {
  name: string;
  /** Key of the lease: one worker sweeps at a time. */
  key: string;
  everyMs: number;
  work(parts: Parts, isSure: () => boolean): Promise<unknown>;
};

/** Returns a function that starts the sweep and returns its `stop`, with the key of its lease. */
function sweeping<Parts>({ name, key, everyMs, work }: Sweep<Parts>) {
  const start = (deps: Parts & { redis: RedisConnection; clock: Clock; log: Log }) => {
    const { redis, clock, log } = deps;
    const options = { key, redis, intervalMs: everyMs, clock, log };
    return repeatWithLease(name, (isSure) => work(deps, isSure), options);
  };
  return Object.assign(start, { key });
}

/** Periodic work on what is due, or was left over by a process that died; each sweep runs in one worker at a time. */
export const SWEEPS = {
  /** Starts auto-hosting for channels whose broadcast has ended, and ends hosting whose target's broadcast has. */
  hosting: sweeping({
    name: "hosting",
    key: keys.hostingLease,
    everyMs: 5_000,
    work: ({ hosting }: { hosting: Pick<Hosting, "sweep"> }) => hosting.sweep(),
  }),
  /** Refunds redemptions that have been pending for too long. */
  redemptions: sweeping({
    name: "redemptions",
    key: keys.redemptionsLease,
    everyMs: 10_000,
    work: ({ redemptions }: { redemptions: Pick<Redemptions, "refundExpired"> }) =>
      redemptions.refundExpired(),
  }),
  /** Applies reports of the media service that a dead process left over. */
  mediaHooks: sweeping({
    name: "media-hooks",
    key: keys.mediaHooksLease,
    everyMs: 1_000,
    work: ({ media }: { media: { hooks: Pick<HookInbox, "sweep"> } }) => media.hooks.sweep(),
  }),
  /** Ends publishers of which their RTMP server doesn't send updates any more. */
  publisherLeases: sweeping({
    name: "publisher-leases",
    key: keys.publisherLeasesLease,
    everyMs: 1_000,
    work: ({ publisherLeases }: { publisherLeases: Pick<PublisherLeases, "sweep"> }) =>
      publisherLeases.sweep(),
  }),
  /** Tells the RTMP server which publishers to drop. */
  publisherDrops: sweeping({
    name: "publisher-drops",
    key: keys.publisherDropsLease,
    everyMs: 1_000,
    work: ({ publisherDrops }: { publisherDrops: Pick<PublisherDrops, "sweep"> }) => publisherDrops.sweep(),
  }),
  /** Requests clips from the media service. */
  clipRequests: sweeping({
    name: "clip-requests",
    key: keys.clipRequestsLease,
    everyMs: 1_000,
    work: ({ clipRequests }: { clipRequests: Pick<ClipRequests, "sweep"> }, isSure) =>
      clipRequests.sweep(isSure),
  }),
  /** Notifies the media service of clips and recordings that were hidden, shown or removed. */
  mediaChanges: sweeping({
    name: "media-changes",
    key: keys.mediaChangesLease,
    everyMs: 1_000,
    work: ({ mediaChanges }: { mediaChanges: Pick<MediaChanges, "sweep"> }, isSure) =>
      mediaChanges.sweep(isSure),
  }),
  /** Applies reports of payments that were received and not yet applied. */
  payments: sweeping({
    name: "payments",
    key: keys.paymentsLease,
    everyMs: 1_000,
    work: ({ billing }: { billing: { hooks: Pick<HookInbox, "sweep"> } }) => billing.hooks.sweep(),
  }),
  /** Sends decisions made here to the payment platform. A sweep of its own, so that a platform that hangs delays no report. */
  platformCalls: sweeping({
    name: "platform-calls",
    key: keys.platformCallsLease,
    everyMs: 1_000,
    work: ({ billing }: { billing: { calls: Pick<PlatformCalls, "sweep"> } }, isSure) =>
      billing.calls.sweep(isSure),
  }),
  /** Ends the billing for channels of banned accounts. */
  bannedSellers: sweeping({
    name: "banned-sellers",
    key: keys.bannedSellersLease,
    everyMs: 1_000,
    work: ({ billing }: { billing: { bannedSellers: Pick<BannedSellers, "sweep"> } }) =>
      billing.bannedSellers.sweep(),
  }),
  /** Expires held messages that nobody has decided about. */
  heldMessages: sweeping({
    name: "held-messages",
    key: keys.heldLease,
    everyMs: 1_000,
    work: ({ moderation }: { moderation: Pick<Moderation, "sweepHeld"> }) => moderation.sweepHeld(),
  }),
  /** Writes audit log lines that the process of the act didn't get to write. */
  auditTrail: sweeping({
    name: "audit-trail",
    key: keys.auditTrailLease,
    everyMs: 1_000,
    work: ({ auditTrail }: { auditTrail: Pick<AuditTrail, "sweep"> }) => auditTrail.sweep(),
  }),
  /** Ends what an account ban has to end, in case the process that banned has died. */
  accountBans: sweeping({
    name: "account-bans",
    key: keys.banLease,
    everyMs: 1_000,
    work: ({ sanctions }: { sanctions: Pick<Sanctions, "sweep"> }) => sanctions.sweep(),
  }),
  /** Ends everything that goes on in the name of deleted accounts. */
  deletedAccounts: sweeping({
    name: "deleted-accounts",
    key: keys.deletedAccountsLease,
    everyMs: 1_000,
    work: ({ accountErasure }: { accountErasure: Pick<AccountErasure, "settle"> }) => accountErasure.settle(),
  }),
  /** Erases deleted accounts whose time to be restored is over. */
  erasures: sweeping({
    name: "erasures",
    key: keys.erasuresLease,
    everyMs: 5_000,
    work: ({
      accountErasure,
      maintenanceDb,
    }: {
      accountErasure: Pick<AccountErasure, "erase">;
      maintenanceDb: Db;
    }) => accountErasure.erase(maintenanceDb),
  }),
  /** Removes pictures that nothing refers to any more. */
  pictures: sweeping({
    name: "pictures",
    key: keys.picturesLease,
    everyMs: 5_000,
    work: ({ pictures }: { pictures: Pick<Pictures, "sweep"> }, isSure) => pictures.sweep(isSure),
  }),
  orphanFiles: sweeping({
    name: "orphan-files",
    key: keys.orphanFilesLease,
    everyMs: 6 * HOUR_MS,
    work: ({ pictures }: { pictures: Pick<Pictures, "sweepOrphans"> }, isSure) =>
      pictures.sweepOrphans(isSure),
  }),
  /** Counts viewers by category, for the lists of categories. */
  categoryViewers: sweeping({
    name: "category-viewers",
    key: keys.categoryViewersLease,
    everyMs: 5_000,
    work: ({ catalogue }: { catalogue: Pick<CategoryCatalogue, "countViewers"> }) => catalogue.countViewers(),
  }),
  /** Removes deleted categories from streams. */
  removedCategories: sweeping({
    name: "removed-categories",
    key: keys.removedCategoriesLease,
    everyMs: 5_000,
    work: ({ categoryChanges }: { categoryChanges: Pick<CategoryChanges, "sweep"> }) =>
      categoryChanges.sweep(),
  }),
  /** Updates the follower counts by which search results are ranked. */
  searchWeights: sweeping({
    name: "search-weights",
    key: keys.searchWeightsLease,
    everyMs: 5_000,
    work: ({ searchWeights }: { searchWeights: Pick<SearchWeights, "sweep"> }) => searchWeights.sweep(),
  }),
  /** Removes the likes of removed clips. */
  removedClips: sweeping({
    name: "removed-clips",
    key: keys.removedClipsLease,
    everyMs: 5_000,
    work: ({ clips }: { clips: Pick<ClipFeature, "sweep"> }, isSure) => clips.sweep(isSure),
  }),
  /** Mails reset links to users who forgot their password. */
  passwordResets: sweeping({
    name: "password-resets",
    key: keys.passwordResetsLease,
    everyMs: 1_000,
    work: ({ recovery }: { recovery: Pick<Recovery, "sweepPasswordResets"> }, isSure) =>
      recovery.sweepPasswordResets(isSure),
  }),
  /** Turns events into entries of users' notification lists. */
  notifications: sweeping({
    name: "notifications",
    key: keys.notificationsLease,
    everyMs: 500,
    work: ({ notifications }: { notifications: Pick<Notifications, "fanOut"> }, isSure) =>
      notifications.fanOut(isSure),
  }),
  /** Samples who watches, in the first seconds of every minute. */
  viewership: sweeping({
    name: "viewership",
    key: keys.viewershipLease,
    everyMs: 5_000,
    work: ({ analytics }: { analytics: Pick<Analytics, "look"> }) => analytics.look(),
  }),
  /** Counts the chat messages of running broadcasts. */
  chatMinutes: sweeping({
    name: "chat-minutes",
    key: keys.chatMinutesLease,
    everyMs: MINUTE_MS,
    work: ({ analytics }: { analytics: Pick<Analytics, "countChat"> }, isSure) => analytics.countChat(isSure),
  }),
  /** Aggregates the hours of channels in which nothing changes any more. */
  rollups: sweeping({
    name: "rollups",
    key: keys.rollupsLease,
    everyMs: 15_000,
    work: (
      { analytics, maintenanceDb }: { analytics: Pick<Analytics, "count">; maintenanceDb: Db },
      isSure,
    ) => analytics.count(maintenanceDb, isSure),
  }),
  /** Passes notifications from the lists on to push and mail. */
  notificationDeliveries: sweeping({
    name: "notification-deliveries",
    key: keys.notificationDeliveriesLease,
    everyMs: 500,
    work: ({ notifications }: { notifications: Pick<Notifications, "deliver"> }, isSure) =>
      notifications.deliver(isSure),
  }),
  mails: sweeping({
    name: "mails",
    key: keys.mailsLease,
    everyMs: 1_000,
    work: ({ mails }: { mails: Pick<Mails, "sweep"> }, isSure) => mails.sweep(isSure),
  }),
};
