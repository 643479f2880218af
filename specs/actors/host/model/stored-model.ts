import { expectAgreement, expectNothingLeftOver } from "../agreement.ts";
import { expectSettled, expectSoundLedger } from "../invariants.ts";
import { openWorld } from "../world.ts";
import { againstModel, type ModelOptions } from "./against-model.ts";
import { storedSubject } from "./stored-subject.ts";

/** Compares the real host on real stores with the model; after each run the ledger is checked against its invariants. */
export async function runStoredModel(
  options: ModelOptions,
  print: (line: string) => void,
): Promise<Record<string, number>> {
  print(`stored model: seed ${options.seed}`);
  const world = await openWorld();
  const { db } = world.mongo;
  try {
    const begin = async () => ({ subject: await storedSubject(world), now: world.clock.now() });
    return await againstModel("stored", options, begin, async ({ names }) => {
      await expectSoundLedger(db, names.owner);
      const actors = names.predictions.map(({ _id }) => `prediction:${_id}`);
      const open = await db.collection("predictions").distinct("_id", { isOpen: true });
      for (const { _id } of names.predictions) {
        if (!open.some((id) => String(id) === _id)) await expectSettled(db, _id);
      }
      await expectAgreement(db, actors);
      await expectNothingLeftOver(db);
    });
  } finally {
    await world.close();
  }
}
