import { MongoClient } from "mongodb";
import { openReplicaSet } from "./replica-set.ts";

/** Where a build stops, with the document that it has to read for it. */
const AT_A_DOCUMENT = "hangIndexBuildDuringCollectionScanPhaseBeforeInsertion";

/** A MongoDB for one spec in which index builds can be held up, as those of a large collection take their time. */
export async function openHeldIndexBuilds() {
  const set = await openReplicaSet({ members: 1, hasFailPoints: true });
  const admin = new MongoClient(set.url, { serverSelectionTimeoutMS: 5_000 });
  return {
    url: set.url,
    client: admin,
    /** Builds stop at a document with these fields, until `release`. */
    hold: async (fields: Record<string, unknown>) =>
      admin.db("admin").command({
        configureFailPoint: AT_A_DOCUMENT,
        mode: "alwaysOn",
        data: { fieldsToMatch: fields },
      }),
    release: async () => admin.db("admin").command({ configureFailPoint: AT_A_DOCUMENT, mode: "off" }),
    async close(): Promise<void> {
      await admin.close();
      await set.close();
    },
  };
}
