import { inMs } from "../figures.ts";
import type { Goal } from "../results.ts";

export type { Goal } from "../results.ts";

type Unit = "×" | "ms" | "µs" | "KiB" | "";

const shown = (value: number, unit: Unit): string => {
  if (unit === "ms") return inMs(value);
  const digits = unit === "×" ? 2 : value < 10 ? 1 : 0;
  return `${Number(value.toFixed(digits))} ${unit}`.trim();
};

export const atMost = (what: string, figure: number, most: number, unit: Unit): Goal => ({
  goal: `${what}: ≤ ${shown(most, unit)}`,
  here: shown(figure, unit),
  met: figure <= most,
});

export const atLeast = (what: string, figure: number, least: number, unit: Unit): Goal => ({
  goal: `${what}: ≥ ${shown(least, unit)}`,
  here: shown(figure, unit),
  met: figure >= least,
});

/** A promise that holds in every round or doesn't. */
export const noneOf = (what: string, failed: number): Goal => ({
  goal: what,
  here: failed === 0 ? "in every round" : `not in ${failed} of the rounds`,
  met: failed === 0,
});
