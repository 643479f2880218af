import { FIRST, type RepairPosition, repairSearch } from "../../store/mongo/discovery/search-repair.ts";
import { connectForMaintenance } from "../../store/mongo/driver/connect.ts";
import type { Config } from "../processes/config/config.ts";
import { runCommand } from "./command.ts";

const USAGE = "Usage: npm run search -- rebuild";

type Order = { act: "rebuild" };

const orderOf = ([act, ...rest]: string[]): Order | null =>
  act === "rebuild" && rest.length === 0 ? { act } : null;

/** Checks all documents that search finds, while the service runs; correct ones stay as they are. */
async function run({ mongo: { url, database } }: Config): Promise<number> {
  const mongo = await connectForMaintenance({ url, database });
  try {
    let [looked, repaired] = [0, 0];
    for (let at: RepairPosition | null = FIRST; at !== null; ) {
      const done = await repairSearch(mongo.db, at);
      looked += done.looked;
      repaired += done.repaired;
      at = done.next;
    }
    console.log(`${looked} names and titles looked at, ${repaired} put right.`);
    return 0;
  } finally {
    await mongo.close();
  }
}

await runCommand({ usage: USAGE, orderOf }, run);
