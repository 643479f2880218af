/** Tries in a row without an answer. */
const SILENT = 3;
/** Tries under way at a time of one that is silent: by them it is found to be back. */
const LOOKS = 2;
/** Of those that are silent, so many are kept in mind. */
const KEPT = 1_000;

type Known = { silences: number; underWay: number };

/** Of a push service that doesn't answer few are asked at a time, so that tries of others find a place. */
export function createSilence() {
  const known = new Map<string, Known>();

  function of(whom: string): Known {
    const one = known.get(whom) ?? { silences: 0, underWay: 0 };
    if (known.size >= KEPT) for (const [name, { underWay }] of known) if (underWay === 0) known.delete(name);
    known.set(whom, one);
    return one;
  }

  return {
    /** Rejects at once where `whom` is silent and enough look after it. */
    async ask<T>(whom: string, ask: () => Promise<T>): Promise<T> {
      const one = of(whom);
      if (one.silences >= SILENT && one.underWay >= LOOKS)
        throw new Error("the push service hasn't answered lately");
      one.underWay++;
      try {
        const answer = await ask();
        one.silences = 0;
        return answer;
      } catch (err) {
        one.silences++;
        throw err;
      } finally {
        one.underWay--;
        if (one.silences === 0 && one.underWay === 0) known.delete(whom);
      }
    },
  };
}
