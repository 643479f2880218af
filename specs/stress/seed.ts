/** Random choices of a run come from a seed that its failure reports, so that the run can be repeated. */
import type { Print } from "./scenario.ts";

export const newSeed = (): number => Math.floor(Math.random() * 2 ** 31);

/** Runs a scenario with a new seed; when it fails, the error says the seed and what the scenario had reported. */
export async function withSeed<T>(run: (seed: number, print: Print) => Promise<T>): Promise<T> {
  const seed = newSeed();
  const lines: string[] = [];
  try {
    return await run(seed, (line) => void lines.push(line));
  } catch (err) {
    const reason = err instanceof Error ? err.message : String(err);
    throw new Error(`seed ${seed}: ${[...lines, reason].join("; ")}`, { cause: err });
  }
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type Chance = ReturnType<typeof chanceFrom>;

/** Choices that are the same for the same seed. */
export function chanceFrom(seed: number) {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  return {
    /** A whole number in [0, limit). */
    below,
    /** True with a probability of `share` percent. */
    percent: (share: number) => random() * 100 < share,
    one<T>(things: readonly T[]): T {
      const thing = things[below(things.length)];
      if (thing === undefined) throw new Error("there is nothing to choose from");
      return thing;
    },
  };
}
