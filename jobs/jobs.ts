import { startChatArchive } from "./chat/archive/chat-archive.ts";
import { startAbandonedTransactions } from "./host/abandoned-transactions/sweep.ts";
import { startUpgrades } from "./host/machine-versions/upgrade.ts";
import { startOutboxRelay } from "./host/outbox-relay/relay.ts";
import { startTimerSweeper } from "./host/timers/sweeper.ts";
import { startStreamLists } from "./live/stream-lists/stream-lists.ts";
import { startViewerCounts } from "./live/viewer-counts/sweep.ts";
import { startNightlyJobs } from "./nightly.ts";
import { startPushes } from "./notifications/pushes.ts";
import { SWEEPS } from "./sweeps.ts";

/** Every job of a `jobs` worker, in the order of starting; each returns its own `stop`. */
export const JOBS = {
  abandonedTransactions: startAbandonedTransactions,
  timers: startTimerSweeper,
  outboxRelay: startOutboxRelay,
  viewerCounts: startViewerCounts,
  streamLists: startStreamLists,
  ...SWEEPS,
  pushes: startPushes,
  machineVersions: startUpgrades,
  chatArchive: startChatArchive,
  nightly: startNightlyJobs,
};

type Start = (typeof JOBS)[keyof typeof JOBS];

/** The dependencies of all jobs together. */
export type JobDeps = Start extends (deps: infer Deps) => unknown ? Deps : never;

export type Jobs = { [Name in keyof typeof JOBS]: Awaited<ReturnType<(typeof JOBS)[Name]>> };
