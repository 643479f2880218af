/** `at` in Unix ms; `value` null where it isn't known. */
export type PlotPoint = { at: number; value: number | null };

export type Plotted = {
  kind: "line" | "bars";
  points: readonly PlotPoint[];
  /** What a point stands for, which the marks of the time axis go by. */
  per: "minute" | "day";
  /** The smallest step between marks of values: 1, or 100 cents. */
  unit: number;
  format: (value: number) => string;
  /** As marks of the time axis have it. */
  formatTick: (at: number) => string;
};
