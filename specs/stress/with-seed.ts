import type { Say } from "../soak/scenario.ts";

/** Runs a scenario with a seed of the moment; when it fails, the error says the seed and what had been told. */
export async function told<T>(run: (seed: number, say: Say) => Promise<T>): Promise<T> {
  const seed = Date.now() % 1_000_000;
  const lines: string[] = [];
  try {
    return await run(seed, (line) => void lines.push(line));
  } catch (err) {
    const reason = err instanceof Error ? err.message : String(err);
    throw new Error(`seed ${seed}: ${[...lines, reason].join("; ")}`, { cause: err });
  }
}
