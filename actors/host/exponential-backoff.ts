/** Exponential back-off: the pause before the next attempt doubles with each failure, from `first` up to `longest`, ms. */
export const exponentialBackoff =
  (first: number, longest: number) =>
  (failures: number): number =>
    Math.min(longest, first * 2 ** Math.min(failures, 30));
