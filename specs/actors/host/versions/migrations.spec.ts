import { expect } from "chai";
import type { AnyStateMachine } from "xstate";
import { predictionMachine } from "../../../../actors/points/prediction/machine.ts";
import { newId } from "../../../../base/ids.ts";
import { openWorld, type World } from "../world.ts";
import { describeMachine, hashOf } from "./description.ts";
import { keptSnapshots } from "./kept.ts";
import { fixtureDefinition, fixtureV1, fixtureV2, fixtureV3 } from "./snapshot-fixture.ts";
import { type Driver, openStage } from "./stage.ts";

describe("an actor of an older version", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const codeOf = (definition: Driver["definition"]) =>
    openStage(world, {
      definition,
      beside: [],
      drive: () => Promise.resolve(),
      plant: () => Promise.resolve(),
      commands: () => ({ remind: { type: "remind" }, collect: { type: "collect" } }),
    });

  /** An actor of the fixture in the state `waiting` of version 1, and the code of version 3. */
  async function since1() {
    const id = newId();
    await codeOf(fixtureDefinition(1)).create(id, { shelf: 4 });
    return { id, now: codeOf(fixtureDefinition(3)) };
  }
  const standing = ({ machineVersion, snapshot }: { machineVersion: number; snapshot: unknown }) => ({
    machineVersion,
    snapshot,
  });

  it("is migrated version by version when something happens to it, and stored as the newest", async () => {
    const { id, now } = await since1();

    expect(standing(await now.stored(id))).deep.equal({
      machineVersion: 1,
      snapshot: { value: "waiting", context: { shelf: 4 } },
    });
    await now.send(id, { type: "remind" });

    expect(standing(await now.stored(id))).deep.equal({
      machineVersion: 3,
      snapshot: { value: { stored: "reminded" }, context: { shelf: "row 4", reminders: 1 } },
    });
  });

  it("keeps its timers: they fire when they were due all along", async () => {
    const { id, now } = await since1();
    const [before] = await now.timersOf(id);
    await now.send(id, { type: "remind" });

    expect(await now.timersOf(id)).deep.equal([before]);
    await now.fireNext(id);

    expect(world.clock.now()).equal(before?.dueAt.getTime());
    expect(standing(await now.stored(id)).snapshot).deep.equal({
      value: "returned",
      context: { shelf: "row 4", reminders: 1 },
    });
    expect(await now.timersOf(id)).deep.equal([]);
  });

  it("may receive its timer first of all", async () => {
    const { id, now } = await since1();

    await now.fireNext(id);

    expect(standing(await now.stored(id))).deep.equal({
      machineVersion: 3,
      snapshot: { value: "returned", context: { shelf: "row 4", reminders: 0 } },
    });
  });

  it("loses its timer with the state that it belongs to, whatever that state is called now", async () => {
    const { id, now } = await since1();

    await now.send(id, { type: "collect" });

    expect(await now.timersOf(id)).deep.equal([]);
  });

  it("would miss its timer if the state had given up its id, which driving it on finds", async () => {
    const { id, now } = await since1();
    const kept = {
      path: "waiting",
      doc: await now.stored(id),
      context: { shelf: 4 },
      timers: await now.timersOf(id),
      goesTo: {},
    };

    const renamed = codeOf(fixtureDefinition(3, fixtureV3("fixture.stored")));
    const found = await renamed.driveOn(kept).catch((err: unknown) => String(err));

    expect(found).contain("the timer xstate.after.patience.fixture.waiting is lost");
    expect(await codeOf(fixtureDefinition(3)).driveOn(kept)).deep.equal({
      remind: "stored.reminded",
      collect: "collected",
      "timer xstate.after.patience.fixture.waiting": "returned",
    });
  });
});

describe("a machine's description", () => {
  const [active] = keptSnapshots("prediction").map(({ kept }) => kept);
  if (!active) throw new Error("there are kept predictions");
  const hash = (machine: AnyStateMachine, context: unknown = active.context) =>
    hashOf(describeMachine(machine, [{ ...active, context }]));
  const same = hash(predictionMachine);

  it("is another one as soon as a delay is", () => {
    const { delays } = predictionMachine.implementations;
    expect(delays.settleAgain).equal(1_000);

    expect(hash(predictionMachine.provide({ delays: { settleAgain: 1_000 } }))).equal(same);
    expect(hash(predictionMachine.provide({ delays: { settleAgain: 1_001 } }))).not.equal(same);
  });

  it("is another one when states, transitions, or the shape of the context are", () => {
    const machines = [fixtureV1, fixtureV2, fixtureV3(), fixtureV3("fixture.stored")];
    expect(new Set(machines.map((machine) => hash(machine))).size).equal(3);
    expect(hash(fixtureV1)).equal(hash(fixtureV2));
    expect(hash(fixtureV1, { shelf: 4 })).not.equal(hash(fixtureV2, { shelf: "row 4" }));
    expect(hash(fixtureV1, { shelf: 4 })).equal(hash(fixtureV1, { shelf: 5 }));
  });
});
