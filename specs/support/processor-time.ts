/** The processor time of this process, ms: unlike a clock's, it doesn't grow while the machine computes something else. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * The least processor time of up to `times` runs, ms: what else the process does meanwhile only adds to one. Runs no
 * more once a run took at most `enoughMs`.
 */
export async function leastProcessorMs(
  run: () => Promise<unknown>,
  { times, enoughMs = 0 }: { times: number; enoughMs?: number },
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times && least > enoughMs; i++) {
    const before = processorMs();
    await run();
    least = Math.min(least, processorMs() - before);
  }
  return least;
}
