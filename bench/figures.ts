/** The value below which that share (0 to 1) of the samples lies; 0 without samples. */
export function percentile(samples: number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export const median = (samples: number[]): number => percentile(samples, 0.5);

export const perSecond = (count: number, ms: number): number => Math.round((count * 1_000) / ms);

/** Milliseconds with as many digits as mean something. */
export const inMs = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;

export const inThousands = (value: number): string => Math.round(value).toLocaleString("en-US");
