import type { Log } from "../../../base/log.ts";

const EVERY_MS = 3_000;

export type Progress = ReturnType<typeof createProgress>;

/** Reports what takes long: each few seconds one line, with how long it has taken and, where it is known, how far it is. */
export function createProgress({ report, log }: { report: (line: string) => void; log: Log }) {
  return {
    report,
    async during<T>(
      what: string,
      work: () => Promise<T>,
      /** How far it is, in words; null when that can't be seen. */
      stage: () => Promise<string | null> = async () => null,
    ): Promise<T> {
      const startedAt = performance.now();
      let isLooking = false;
      let isOver = false;
      const tell = async () => {
        if (isLooking) return;
        isLooking = true;
        const seen = await stage().catch((err: unknown) => {
          // A user of MongoDB without the right to see its operations.
          log.debug({ err, what }, "progress unknown");
          return null;
        });
        isLooking = false;
        if (isOver) return;
        const seconds = `${Math.round((performance.now() - startedAt) / 1_000)} s`;
        report(`${what} (${[seen, seconds].filter(Boolean).join(", ")})`);
      };
      const telling = setInterval(() => void tell(), EVERY_MS);
      try {
        return await work();
      } finally {
        isOver = true;
        clearInterval(telling);
      }
    },
  };
}
