import { expect } from "chai";
import { SUBJECTS } from "../../generated/subjects.ts";
import { definitions } from "../diagrams.ts";
import { openWorld, type World } from "../world.ts";
import { describeMachine, hashOf, placesOf } from "./description.ts";
import { COMMAND, keptMachine, keptSnapshots } from "./kept.ts";
import { openStage, snapshotsOf } from "./stage.ts";

for (const { machine: name, driver } of SUBJECTS) {
  describe(`kept snapshots of ${name}`, () => {
    let world: World;
    before(async () => {
      world = await openWorld();
    });
    after(() => world.close());

    const isCurrent = (version: number) => driver(world).definition.version === version;

    for (const { version, kept } of keptSnapshots(name)) {
      it(`v${version} in ${kept.path} goes on with every event and timer as it did`, async () => {
        const stage = openStage(world, driver(world));
        const goesTo = await stage.driveOn(kept);
        // A command that a later version added could not be tried with this one.
        const known = Object.entries(goesTo).filter(([event]) => isCurrent(version) || event in kept.goesTo);
        expect(Object.fromEntries(known)).deep.equal(kept.goesTo);
      });
    }

    it("are there for every state of the machine as it is now", () => {
      const { version, machine } = driver(world).definition;
      const paths = keptSnapshots(name).flatMap((one) => (one.version === version ? [one.kept.path] : []));
      expect(paths.sort(), whatToDo(name, version)).deep.equal(placesOf(machine).sort());
    });

    it("were made by the very machine that carries their version now", async () => {
      const { version, machine } = driver(world).definition;
      const description = describeMachine(machine, await snapshotsOf(world, driver(world)));
      const kept = keptMachine(name, version);

      expect(description, whatToDo(name, version)).deep.equal(kept?.description);
      expect(hashOf(description), whatToDo(name, version)).equal(kept?.hash);
    });

    it("are those of a machine that nobody touched by hand", () => {
      for (const { version } of keptSnapshots(name)) {
        const kept = keptMachine(name, version);
        expect(hashOf(kept?.description), `v${version}`).equal(kept?.hash);
      }
    });
  });
}

describe("the machines that are kept", () => {
  it("are all that there are", () => {
    const names = definitions().map(({ name }) => name);
    const file = "each machine, and nothing else, has specs/actors/<context>/<machine>/subject.ts";
    expect(SUBJECTS.map(({ machine }) => machine).sort(), file).deep.equal(names.sort());
  });
});

function whatToDo(name: string, version: number): string {
  if (!keptMachine(name, version)) {
    return `Nothing is kept of ${name}'s version ${version} yet: run \`${COMMAND}\` and commit the files it writes`;
  }
  return (
    `The machine of ${name} is not the one that was kept as version ${version}, and actors of that version are stored. ` +
    `Raise the version in its machine.ts, write the migration from ${version} for its definition, ` +
    `run \`${COMMAND}\` and commit the files it writes`
  );
}
