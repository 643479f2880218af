/** What is sent at a time: so much in all, and to one domain less, so that one whose servers are slow leaves places to others. */
export function createPlaces({ inAll, ofOne }: { inAll: number; ofOne: number }) {
  const held = new Map<string, number>();
  const underWay = new Set<Promise<unknown>>();
  return {
    free: (): number => inAll - underWay.size,
    /** Domains that have as many as they may. */
    full: (): Set<string> =>
      new Set([...held].filter(([, count]) => count >= ofOne).map(([domain]) => domain)),
    mayTake: (domain: string): boolean => underWay.size < inAll && (held.get(domain) ?? 0) < ofOne,

    async hold<T>(domain: string, work: () => Promise<T>): Promise<T> {
      held.set(domain, (held.get(domain) ?? 0) + 1);
      const working = work();
      underWay.add(working);
      try {
        return await working;
      } finally {
        underWay.delete(working);
        const left = (held.get(domain) ?? 1) - 1;
        if (left > 0) held.set(domain, left);
        else held.delete(domain);
      }
    },

    /** When nothing is under way any more. */
    idle: async (): Promise<void> => void (await Promise.allSettled(underWay)),
  };
}

/** Of all of them, none of which rejects, or of that time. */
export async function endOf(turns: Promise<void>[], withinMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, withinMs);
  });
  await Promise.race([Promise.all(turns), late]);
  clearTimeout(timer);
}
