import type { Prediction } from "../../../points/prediction.ts";
import type { Schemas } from "../../../site/page-data.ts";

export type Draft = Schemas["NewPrediction"];

/** As the service allows it. */
export const LIMITS = { outcomes: { least: 2, most: 10 }, title: 45, outcome: 25 } as const;
/** How long one can bet, seconds. */
export const WINDOWS = [30, 60, 120, 300, 600, 900, 1_800] as const;

export const EMPTY: Draft = { title: "", outcomes: [{ title: "" }, { title: "" }], duration_seconds: 120 };

const KEY = "livecore-prediction-window";

/** Keeps how long one could bet on it: a prediction that is locked early doesn't say it any more. */
export function keepWindow(id: string, seconds: number): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([id, seconds]));
  } catch {
    // The browser denies storage: then it is computed.
  }
}

function keptWindow(id: string): number | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return Array.isArray(kept) && kept[0] === id && typeof kept[1] === "number" ? kept[1] : null;
  } catch {
    return null;
  }
}

/** The same once more. */
export function draftOf({ id, title, outcomes, created_at, locks_at }: Prediction): Draft {
  const openMs = locks_at === null ? 0 : Date.parse(locks_at) - Date.parse(created_at);
  const [shortest] = WINDOWS;
  const longest = WINDOWS.at(-1) ?? shortest;
  const lasted = WINDOWS.find((seconds) => seconds * 1_000 >= openMs) ?? longest;
  return {
    title,
    outcomes: outcomes.map(({ title, color }) => ({ title, ...(color !== null && { color }) })),
    duration_seconds: keptWindow(id) ?? lasted,
  };
}
