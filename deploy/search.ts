import { connectForMaintenance } from "../store/mongo/connect.ts";
import { FIRST, type RepairPosition, repairSearch } from "../store/mongo/search-repair.ts";
import { runCommand } from "./command.ts";
import type { Config } from "./config/config.ts";

const USAGE = "Usage: npm run search -- rebuild";

type Order = { act: "rebuild" };

const orderOf = ([act, ...rest]: string[]): Order | null =>
  act === "rebuild" && rest.length === 0 ? { act } : null;

/** Goes through everything that a search finds, beside the running service; what is right stays as it is. */
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
