import type { NodeHere } from "../node-runtime.mjs";

/** A store that livecore needs, and the programs that serve as one. */
export type NeededStore = {
  /** The product's name for messages: "MongoDB". */
  title: string;
  /** Names on PATH, best first. */
  commands: readonly string[];
  /** The variable that points at an existing server instead. */
  variable: string;
  /** The oldest major version that has what we need. */
  oldest: number;
  /** Extracts product and version from the output of `--version`; null when it isn't what we need. */
  recognise: (output: string) => { product: string; version: string } | null;
};

export const MONGODB: NeededStore;
export const VALKEY: NeededStore;
export const FETCHED_FOR: { system: string; glibc: string };

export function lackOfStores(
  here: Pick<NodeHere, "system" | "glibc">,
  env: Readonly<Record<string, string | undefined>>,
): string | null;
export function executablesOf(commands: readonly string[], path?: string): string[];
