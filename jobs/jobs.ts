import { startAbandonedTransactions } from "./abandoned-transactions/sweep.ts";
import { startBanSweep } from "./account-bans/sweep.ts";
import { startChatArchive } from "./chat-archive/chat-archive.ts";
import { startHostingSweep } from "./hosting/sweep.ts";
import { startUpgrades } from "./machine-versions/upgrade.ts";
import { startMediaHooks } from "./media-hooks/sweep.ts";
import { startNightlyJobs } from "./nightly.ts";
import { startOutboxRelay } from "./outbox-relay/relay.ts";
import { startBannedSellers } from "./payments/banned-sellers.ts";
import { startPaymentReports, startPlatformCalls } from "./payments/sweep.ts";
import { startPublisherDrops } from "./publisher-drops/sweep.ts";
import { startForgottenRedemptions } from "./redemptions/sweep.ts";
import { startStreamLists } from "./stream-lists/stream-lists.ts";
import { startTimerSweeper } from "./timers/sweeper.ts";
import { startViewerCounts } from "./viewer-counts/sweep.ts";

/** Every job of a `jobs` worker, in the order of starting; each returns its own `stop`. */
export const JOBS = {
  abandonedTransactions: startAbandonedTransactions,
  timers: startTimerSweeper,
  outboxRelay: startOutboxRelay,
  viewerCounts: startViewerCounts,
  streamLists: startStreamLists,
  hosting: startHostingSweep,
  redemptions: startForgottenRedemptions,
  mediaHooks: startMediaHooks,
  publisherDrops: startPublisherDrops,
  payments: startPaymentReports,
  platformCalls: startPlatformCalls,
  bannedSellers: startBannedSellers,
  machineVersions: startUpgrades,
  chatArchive: startChatArchive,
  nightly: startNightlyJobs,

  accountBans: startBanSweep,
};

type Start = (typeof JOBS)[keyof typeof JOBS];

/** Everything that they ask for, together. */
export type JobDeps = Start extends (deps: infer Deps) => unknown ? Deps : never;

export type Jobs = { [Name in keyof typeof JOBS]: Awaited<ReturnType<(typeof JOBS)[Name]>> };
