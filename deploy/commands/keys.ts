import { rotateSigningKeys } from "../../actors/accounts/tokens/signing-keys.ts";
import { createSealing } from "../../actors/keys/sealing.ts";
import { resealAll } from "../../actors/resealing/resealing.ts";
import { createAudit, OPERATOR } from "../../base/audit.ts";
import { processClock } from "../../base/clock.ts";
import { signingKeysIn } from "../../store/mongo/accounts/signing-keys.ts";
import { connectForMaintenance } from "../../store/mongo/driver/connect.ts";
import type { Config } from "../processes/config/config.ts";
import { commandLogger } from "../processes/process/logger.ts";
import { followMongoTime } from "../processes/process/required-clocks.ts";
import { masterKeysOf } from "../processes/workers/master-keys.ts";
import { runCommand } from "./command.ts";

const USAGE = "Usage: npm run keys -- rotate [--at-once] | reseal";

type Order = { act: "rotate"; atOnce: boolean } | { act: "reseal" };

function orderOf([act, option, ...rest]: string[]): Order | null {
  if (rest.length > 0) return null;
  if (act === "reseal" && option === undefined) return { act };
  if (act === "rotate" && (option === undefined || option === "--at-once"))
    return { act, atOnce: option !== undefined };
  return null;
}

async function run(config: Config, order: Order): Promise<number> {
  const log = commandLogger("keys");
  const audit = createAudit(log);
  const masterKey = masterKeysOf(config);
  const mongo = await connectForMaintenance(config.mongo);
  try {
    await followMongoTime(mongo.db);
    if (order.act === "rotate") {
      const deps = { keys: signingKeysIn(mongo.db), sealing: createSealing(masterKey), audit };
      const { signsFrom } = await rotateSigningKeys({ ...deps, now: processClock.now() }, order);
      console.log(
        order.atOnce
          ? "A new key signs access tokens. Those of the old ones end within 65 seconds; clients refresh."
          : `A new key signs access tokens from ${signsFrom.toISOString()}. Those of the old ones hold until they end.`,
      );
      return 0;
    }
    const results = await resealAll({ db: mongo.db, masterKey, log });
    for (const { collection, field, seen, resealed, unopened: closed } of results)
      console.log(
        `${collection}.${field}: ${seen} seen, ${resealed} sealed anew, ${closed} that no key opens`,
      );
    const unopened = results.reduce((sum, result) => sum + result.unopened, 0);
    audit("master_key.resealed", OPERATOR, { unopened });
    if (unopened === 0) return 0;
    console.error("Don't give up the old key: no key that was given opens some of it.");
    return 1;
  } finally {
    await mongo.close();
  }
}

await runCommand({ usage: USAGE, orderOf }, run);
