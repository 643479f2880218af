import type { Environment } from "../../processes/config/environment.ts";

/** The context of every step of setting up the development services. */
export type SetUp = {
  env: Environment;
  /** Reports progress, a sentence at a time. */
  say: (line: string) => void;
  /** Aborted when the start is cancelled: downloads and waits end then. */
  signal: AbortSignal;
};
