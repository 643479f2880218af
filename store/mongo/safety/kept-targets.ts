import type { Db } from "mongodb";
import { reportCasesCollection, reportsCollection } from "./reports.ts";

type Kept = { _id: string; caseId: string };

/** What reports keep of their targets (`snapshot`). */
export function keptTargetsIn(db: Db) {
  const reports = reportsCollection.in(db);
  const cases = reportCasesCollection.in(db);
  return {
    /** Reports from before then that keep something, the oldest first, in batches of `size`. */
    async *before(then: Date, size: number): AsyncGenerator<Kept[]> {
      const found = reports
        .find({ snapshot: { $type: "object" }, createdAt: { $lt: then } }, { batchSize: size })
        .sort({ createdAt: 1 })
        .project<Kept>({ caseId: 1 });
      try {
        while (await found.hasNext()) yield found.readBufferedDocuments(size);
      } finally {
        await found.close();
      }
    },

    /** Those of the cases that were decided before then. */
    async decidedAmong(caseIds: string[], then: Date): Promise<Set<string>> {
      const decided = cases.find({ _id: { $in: caseIds }, decidedAt: { $type: "date", $lt: then } });
      return new Set((await decided.project<{ _id: string }>({ _id: 1 }).toArray()).map(({ _id }) => _id));
    },

    /** Resolves with the number of changed reports. */
    remove: async (ids: string[]): Promise<number> =>
      (await reports.updateMany({ _id: { $in: ids } }, { $set: { snapshot: null } })).modifiedCount,
  };
}
