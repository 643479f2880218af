import type { NodeHere } from "./node-runtime.mjs";

/** A program inside a wheel on PyPI: a zip, pinned by its hash. Linux x64 only. */
export type Wheel = {
  name: string;
  version: string;
  /** The program inside and its version, as people know it: "MongoDB 6.0.5". */
  holds: string;
  sha256: string;
  /** Path of the program inside. */
  member: string;
  megabytes: number;
};

/** A store that livecore needs, and how its server is found. */
export type Recipe = {
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
  wheel: Wheel;
  /** Hash of the unpacked program: another one in the cache isn't run. */
  sha256: string;
};

export const mongodRecipe: Recipe;
export const valkeyRecipe: Recipe;
export const START_ON_CONTAINERS: string;
export const FETCHED_FOR: { system: string; glibc: string };

export function lackOfStores(
  here: Pick<NodeHere, "system" | "glibc">,
  env: Readonly<Record<string, string | undefined>>,
  cache: string,
): string | null;
export function cachedPath(store: Recipe, cache: string): string;
export function executablesOf(commands: readonly string[], path?: string): string[];
