import { startAbandonedTransactions } from "./abandoned-transactions/sweep.ts";
import { startChatArchive } from "./chat-archive/chat-archive.ts";
import { startUpgrades } from "./machine-versions/upgrade.ts";
import { startNightlyJobs } from "./nightly.ts";
import { startOutboxRelay } from "./outbox-relay/relay.ts";
import { startPushes } from "./pushes/pushes.ts";
import { startStreamLists } from "./stream-lists/stream-lists.ts";
import { SWEEPS } from "./sweeps.ts";
import { startTimerSweeper } from "./timers/sweeper.ts";
import { startViewerCounts } from "./viewer-counts/sweep.ts";

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
