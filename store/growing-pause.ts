/** A pause before the next try that doubles with each failure, from `first` up to `longest`, ms. */
export const growingPause =
  (first: number, longest: number) =>
  (failures: number): number =>
    Math.min(longest, first * 2 ** Math.min(failures, 30));
