export type Chance = ReturnType<typeof chanceFrom>;

/** Choices that are the same for the same seed (mulberry32). */
export function chanceFrom(seed: number) {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    /** A whole number from 0 up to but not with `limit`. */
    below,
    /** True so many times in a hundred. */
    percent: (share: number) => next() * 100 < share,
    one<T>(things: readonly T[]): T {
      const thing = things[below(things.length)];
      if (thing === undefined) throw new Error("there is nothing to choose from");
      return thing;
    },
  };
}
