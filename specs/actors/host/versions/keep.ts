import { SUBJECTS } from "../../generated/subjects.ts";
import { openWorld } from "../world.ts";
import { describeMachine, hashOf } from "./description.ts";
import { isKept, keep } from "./kept.ts";
import { openStage, snapshotsOf } from "./stage.ts";

/** Keeps the current version of every machine that isn't kept yet: see keep.mjs. */
const world = await openWorld();
const print = (line: string) => process.stdout.write(`${line}\n`);
try {
  for (const { machine: name, driver: driverIn } of SUBJECTS) {
    const driver = driverIn(world);
    const { version, machine } = driver.definition;
    if (isKept(name, version)) {
      print(`${name} v${version} is kept already and stays as it is.`);
      continue;
    }
    const seen = await snapshotsOf(world, driver);
    const description = describeMachine(machine, seen);
    // A new host for each: a host continues from its last commit, and these are states of one actor.
    for (const kept of seen) kept.goesTo = await openStage(world, driver).driveOn(kept);
    keep(name, version, { hash: hashOf(description), description }, seen);
    print(`${name} v${version}: kept ${seen.length} states.`);
  }
} finally {
  await world.close();
}
