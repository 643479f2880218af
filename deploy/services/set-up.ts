import type { Environment } from "../config/environment.ts";

/** What every step of setting up the development services is handed. */
export type SetUp = {
  env: Environment;
  /** Reports progress, a sentence at a time. */
  say: (line: string) => void;
  /** Aborted when the start is called off: downloads and waits end then. */
  signal: AbortSignal;
};
