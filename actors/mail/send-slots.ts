/** Limits concurrent sends: in total, and lower per domain, so that a domain with slow servers leaves slots for others. */
export function createSendSlots({ inAll, ofOne }: { inAll: number; ofOne: number }) {
  const held = new Map<string, number>();
  const inFlight = new Set<Promise<unknown>>();
  return {
    free: (): number => inAll - inFlight.size,
    /** Domains that have used up their slots. */
    full: (): Set<string> =>
      new Set([...held].filter(([, count]) => count >= ofOne).map(([domain]) => domain)),
    mayTake: (domain: string): boolean => inFlight.size < inAll && (held.get(domain) ?? 0) < ofOne,

    async hold<T>(domain: string, work: () => Promise<T>): Promise<T> {
      held.set(domain, (held.get(domain) ?? 0) + 1);
      const working = work();
      inFlight.add(working);
      try {
        return await working;
      } finally {
        inFlight.delete(working);
        const left = (held.get(domain) ?? 1) - 1;
        if (left > 0) held.set(domain, left);
        else held.delete(domain);
      }
    },

    /** Resolves when nothing is in flight any more. */
    idle: async (): Promise<void> => void (await Promise.allSettled(inFlight)),
  };
}

/** Resolves when all promises have resolved, or after `withinMs`. They must not reject. */
export async function settledWithin(turns: Promise<void>[], withinMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, withinMs);
  });
  await Promise.race([Promise.all(turns), late]);
  clearTimeout(timer);
}
