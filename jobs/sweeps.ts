import type { Db } from "mongodb";
import type { AccountErasure } from "../actors/account/erasure.ts";
import type { Pictures } from "../actors/account/pictures.ts";
import type { Analytics } from "../actors/analytics/analytics.ts";
import type { Hosting } from "../actors/channels/hosting.ts";
import type { ClipFeature } from "../actors/clips/clips.ts";
import type { ClipRequests } from "../actors/clips/requests.ts";
import type { CategoryCatalogue } from "../actors/discovery/category-catalogue.ts";
import type { CategoryChanges } from "../actors/discovery/category-changes.ts";
import type { HookIntake } from "../actors/hooks/intake.ts";
import type { AuditTrail } from "../actors/identity/audit-trail.ts";
import type { Identity } from "../actors/identity/identity.ts";
import type { PublisherDrops } from "../actors/ingest/publisher-drops.ts";
import type { Mails } from "../actors/mail/mails.ts";
import type { Moderation } from "../actors/moderation/moderation.ts";
import type { Notifications } from "../actors/notifications/notifications.ts";
import type { BannedSellers } from "../actors/payments/banned-sellers.ts";
import type { PlatformCalls } from "../actors/payments/call-sweep.ts";
import type { Redemptions } from "../actors/redemption/redemptions.ts";
import type { Sanctions } from "../actors/safety/sanctions.ts";
import type { SearchWeights } from "../actors/search/weights.ts";
import type { Log } from "../store/log.ts";
import { keys } from "../store/redis/keys.ts";
import type { RedisConnection } from "../store/redis/nodes.ts";
import { repeatAlone } from "./schedule/repeat-alone.ts";

type Sweep<Parts> = {
  name: string;
  /** Of the lease: one worker sweeps at a time. */
  key: string;
  everyMs: number;
  work(parts: Parts, isSure: () => boolean): Promise<unknown>;
};

/** Starts it; gives back `stop`. */
const sweeping =
  <Parts>({ name, key, everyMs, work }: Sweep<Parts>) =>
  (deps: Parts & { redis: RedisConnection; log: Log }) => {
    const { redis, log } = deps;
    return repeatAlone(name, (isSure) => work(deps, isSure), { key, redis, intervalMs: everyMs, log });
  };

/** What is done again and again for what is due, or was left by a process that died; each in one worker at a time. */
export const SWEEPS = {
  /** Auto-hosts of channels whose broadcast has ended, and the end of those whose target has. */
  hosting: sweeping({
    ...{ name: "hosting", key: keys.hostingLease, everyMs: 5_000 },
    work: ({ hosting }: { hosting: Pick<Hosting, "sweep"> }) => hosting.sweep(),
  }),
  /** Refunds what has been pending for too long. */
  redemptions: sweeping({
    ...{ name: "redemptions", key: keys.redemptionsLease, everyMs: 10_000 },
    work: ({ redemptions }: { redemptions: Pick<Redemptions, "refundExpired"> }) =>
      redemptions.refundExpired(),
  }),
  /** Applies what the media service reported and a dead process left. */
  mediaHooks: sweeping({
    ...{ name: "media-hooks", key: keys.mediaHooksLease, everyMs: 1_000 },
    work: ({ media }: { media: { hooks: Pick<HookIntake, "sweep"> } }) => media.hooks.sweep(),
  }),
  /** Tells the RTMP server whom to drop. */
  publisherDrops: sweeping({
    ...{ name: "publisher-drops", key: keys.publisherDropsLease, everyMs: 1_000 },
    work: ({ publisherDrops }: { publisherDrops: Pick<PublisherDrops, "sweep"> }) => publisherDrops.sweep(),
  }),
  /** Asks the media service for clips. */
  clipRequests: sweeping({
    ...{ name: "clip-requests", key: keys.clipRequestsLease, everyMs: 1_000 },
    work: ({ clipRequests }: { clipRequests: Pick<ClipRequests, "sweep"> }, isSure) =>
      clipRequests.sweep(isSure),
  }),
  /** Applies reports of payments that were received and left. */
  payments: sweeping({
    ...{ name: "payments", key: keys.paymentsLease, everyMs: 1_000 },
    work: ({ billing }: { billing: { hooks: Pick<HookIntake, "sweep"> } }) => billing.hooks.sweep(),
  }),
  /** Tells the payment platform what was decided here, by itself: a platform that hangs keeps no report waiting. */
  platformCalls: sweeping({
    ...{ name: "platform-calls", key: keys.platformCallsLease, everyMs: 1_000 },
    work: ({ billing }: { billing: { calls: Pick<PlatformCalls, "sweep"> } }, isSure) =>
      billing.calls.sweep(isSure),
  }),
  /** Nothing is billed any more for the channels of banned accounts. */
  bannedSellers: sweeping({
    ...{ name: "banned-sellers", key: keys.bannedSellersLease, everyMs: 1_000 },
    work: ({ billing }: { billing: { bannedSellers: Pick<BannedSellers, "sweep"> } }) =>
      billing.bannedSellers.sweep(),
  }),
  /** Ends held messages that nobody has decided about. */
  heldMessages: sweeping({
    ...{ name: "held-messages", key: keys.heldLease, everyMs: 1_000 },
    work: ({ moderation }: { moderation: Pick<Moderation, "sweepHeld"> }) => moderation.sweepHeld(),
  }),
  /** Writes lines of the audit log that the process of an act left. */
  auditTrail: sweeping({
    ...{ name: "audit-trail", key: keys.auditTrailLease, everyMs: 1_000 },
    work: ({ auditTrail }: { auditTrail: Pick<AuditTrail, "sweep"> }) => auditTrail.sweep(),
  }),
  /** Ends what bans have to end, for when the process that banned has died. */
  accountBans: sweeping({
    ...{ name: "account-bans", key: keys.banLease, everyMs: 1_000 },
    work: ({ sanctions }: { sanctions: Pick<Sanctions, "sweep"> }) => sanctions.sweep(),
  }),
  /** What goes on in the name of accounts that were deleted ends. */
  deletedAccounts: sweeping({
    ...{ name: "deleted-accounts", key: keys.deletedAccountsLease, everyMs: 1_000 },
    work: ({ accountErasure }: { accountErasure: Pick<AccountErasure, "settle"> }) => accountErasure.settle(),
  }),
  /** Erases those whose time to come back is over. */
  erasures: sweeping({
    ...{ name: "erasures", key: keys.erasuresLease, everyMs: 5_000 },
    work: ({
      accountErasure,
      maintenanceDb,
    }: {
      accountErasure: Pick<AccountErasure, "erase">;
      maintenanceDb: Db;
    }) => accountErasure.erase(maintenanceDb),
  }),
  /** Removes pictures that are shown nowhere any more. */
  pictures: sweeping({
    ...{ name: "pictures", key: keys.picturesLease, everyMs: 5_000 },
    work: ({ pictures }: { pictures: Pick<Pictures, "sweep"> }, isSure) => pictures.sweep(isSure),
  }),
  orphanFiles: sweeping({
    ...{ name: "orphan-files", key: keys.orphanFilesLease, everyMs: 6 * 3_600_000 },
    work: ({ pictures }: { pictures: Pick<Pictures, "sweepOrphans"> }, isSure) =>
      pictures.sweepOrphans(isSure),
  }),
  /** Viewers by category, as lists of categories show them. */
  categoryViewers: sweeping({
    ...{ name: "category-viewers", key: keys.categoryViewersLease, everyMs: 5_000 },
    work: ({ catalogue }: { catalogue: Pick<CategoryCatalogue, "countViewers"> }) => catalogue.countViewers(),
  }),
  /** Streams lose categories that were removed. */
  removedCategories: sweeping({
    ...{ name: "removed-categories", key: keys.removedCategoriesLease, everyMs: 5_000 },
    work: ({ categoryChanges }: { categoryChanges: Pick<CategoryChanges, "sweep"> }) =>
      categoryChanges.sweep(),
  }),
  /** How many follow a channel, for the order of what searches find. */
  searchWeights: sweeping({
    ...{ name: "search-weights", key: keys.searchWeightsLease, everyMs: 5_000 },
    work: ({ searchWeights }: { searchWeights: Pick<SearchWeights, "sweep"> }) => searchWeights.sweep(),
  }),
  /** Likes of clips that were removed go. */
  removedClips: sweeping({
    ...{ name: "removed-clips", key: keys.removedClipsLease, everyMs: 5_000 },
    work: ({ clips }: { clips: Pick<ClipFeature, "sweep"> }, isSure) => clips.sweep(isSure),
  }),
  /** Mails links to those who forgot their password. */
  passwordResets: sweeping({
    ...{ name: "password-resets", key: keys.passwordResetsLease, everyMs: 1_000 },
    work: ({ identity }: { identity: Pick<Identity, "sweepPasswordResets"> }, isSure) =>
      identity.sweepPasswordResets(isSure),
  }),
  /** Makes lists of notifications of what has happened. */
  notifications: sweeping({
    ...{ name: "notifications", key: keys.notificationsLease, everyMs: 500 },
    work: ({ notifications }: { notifications: Pick<Notifications, "tell"> }, isSure) =>
      notifications.tell(isSure),
  }),
  /** Looks at who watches, in the first seconds of every minute. */
  viewership: sweeping({
    ...{ name: "viewership", key: keys.viewershipLease, everyMs: 5_000 },
    work: ({ analytics }: { analytics: Pick<Analytics, "look"> }) => analytics.look(),
  }),
  /** Counts hours of channels in which nothing moves any more. */
  rollups: sweeping({
    ...{ name: "rollups", key: keys.rollupsLease, everyMs: 15_000 },
    work: (
      { analytics, maintenanceDb }: { analytics: Pick<Analytics, "count">; maintenanceDb: Db },
      isSure,
    ) => analytics.count(maintenanceDb, isSure),
  }),
  /** Hands what lists have on to push and mail. */
  notificationDeliveries: sweeping({
    ...{ name: "notification-deliveries", key: keys.notificationDeliveriesLease, everyMs: 500 },
    work: ({ notifications }: { notifications: Pick<Notifications, "deliver"> }, isSure) =>
      notifications.deliver(isSure),
  }),
  mails: sweeping({
    ...{ name: "mails", key: keys.mailsLease, everyMs: 1_000 },
    work: ({ mails }: { mails: Pick<Mails, "sweep"> }, isSure) => mails.sweep(isSure),
  }),
};
