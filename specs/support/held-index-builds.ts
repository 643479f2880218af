import { MongoClient } from "mongodb";
import { openReplicaSet } from "./replica-set.ts";

/** Where a build stops, with the document that it has to read for it. */
const AT_A_DOCUMENT = "hangIndexBuildDuringCollectionScanPhaseBeforeInsertion";

/** Builds on the primary that `client` finds stop at a document with these fields, until `releaseBuilds`. */
export const holdBuilds = (client: MongoClient, fields: Record<string, unknown>) =>
  client.db("admin").command({
    configureFailPoint: AT_A_DOCUMENT,
    mode: "alwaysOn",
    data: { fieldsToMatch: fields },
  });

const releaseBuilds = (client: MongoClient) =>
  client.db("admin").command({ configureFailPoint: AT_A_DOCUMENT, mode: "off" });

/** A MongoDB for one spec in which index builds can be held up, as those of a large collection take their time. */
export async function openHeldIndexBuilds() {
  const set = await openReplicaSet({ members: 1, hasFailPoints: true });
  const admin = new MongoClient(set.url, { serverSelectionTimeoutMS: 5_000 });
  return {
    url: set.url,
    client: admin,
    hold: (fields: Record<string, unknown>) => holdBuilds(admin, fields),
    release: () => releaseBuilds(admin),
    async close(): Promise<void> {
      await admin.close();
      await set.close();
    },
  };
}
