/** Made from the modules of specs/actors by `npm run generate`. */
import type { CrashScenarios } from "../host/crash/scenario.ts";
import { pollCrashes } from "../chat/poll/crash-scenarios.ts";
import { unbanRequestCrashes } from "../chat/unban-request/crash-scenarios.ts";
import { paymentCrashes } from "../monetization/subscription/crash-scenarios.ts";
import { raidCrashes } from "../raids/raid/crash-scenarios.ts";

/** The operations of each machine at which a process dies. */
export const CRASH_SCENARIOS: readonly CrashScenarios[] = [
  pollCrashes,
  unbanRequestCrashes,
  paymentCrashes,
  raidCrashes,
];
