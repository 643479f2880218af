import { expect } from "chai";
import { setup } from "xstate";
import type { ActorDefinition } from "../../../../actors/host/definition.ts";
import { createHost } from "../../../../actors/host/host.ts";
import { commandsOf, exactly } from "../../../../actors/host/schemas.ts";
import { DAY_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import { createTimerSweeper } from "../../../../jobs/host/timers/sweeper.ts";
import { snapshotsIn } from "../../../../store/mongo/host/snapshots.ts";
import { timersIn } from "../../../../store/mongo/host/timers.ts";
import { openWorld, type World } from "../world.ts";

/** Past 2^31 ms, where Node's own timers run over and fire at once. */
const MONTH_MS = 30 * DAY_MS;
const YEARS_MS = 3_650 * DAY_MS;

type Types = {
  command: { type: "leave" };
  event: { type: "leave"; at: number };
  context: Record<string, never>;
  input: object;
  effects: object;
  reads: object;
  answer: string;
};

/** Waits for a month, then for ten years, unless it receives `leave`. */
const patient: ActorDefinition<Types> = {
  name: "patient",
  version: 1,
  machine: setup({ delays: { month: MONTH_MS, years: YEARS_MS } }).createMachine({
    id: "patient",
    initial: "first",
    states: {
      first: { after: { month: "second" }, on: { leave: "left" } },
      second: { after: { years: "over" }, on: { leave: "left" } },
      over: {},
      left: {},
    },
  }),
  context: exactly({}),
  input: exactly({}),
  commands: commandsOf({ leave: {} }),
  prepare: () => Promise.resolve({}),
  effects: {},
  answer: ({ status }) => status,
};

describe("delays of a month and more", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  /** A process that starts now: what was there before it is in the stores alone. */
  function freshProcess() {
    const { deps, outbox, mongo, clock } = world;
    const host = createHost({ ...deps, outbox, machines: [patient] });
    return { host, sweeper: createTimerSweeper({ host, mongo, clock, log: deps.log }) };
  }

  async function waiting(): Promise<string> {
    const id = newId();
    await freshProcess().host.create(patient, id, {}, { by: null });
    return id;
  }

  const stateOf = async (id: string) => (await snapshotsIn(world.mongo.db).find(`patient:${id}`))?.snapshot;
  const sweepAfter = async (ms: number) => {
    world.move(ms);
    return freshProcess().sweeper.tick();
  };

  it("fire at their time in processes that came later, and not a millisecond earlier", async () => {
    const id = await waiting();

    expect(await sweepAfter(0)).equal(0);
    expect(await sweepAfter(MONTH_MS - 1)).equal(0);
    expect(await stateOf(id)).deep.equal({ value: "first", context: {} });
    expect(await sweepAfter(1)).equal(1);
    expect(await stateOf(id)).deep.equal({ value: "second", context: {} });

    expect(await sweepAfter(YEARS_MS - 1)).equal(0);
    expect(await sweepAfter(1)).equal(1);
    expect(await stateOf(id)).deep.equal({ value: "over", context: {} });
    expect(await sweepAfter(YEARS_MS)).equal(0);
  });

  it("go with their state", async () => {
    const id = await waiting();
    await sweepAfter(MONTH_MS / 2);

    await freshProcess().host.ask(patient, id, { type: "leave" }, { by: null });

    expect(await timersIn(world.mongo.db).ofActor(`patient:${id}`)).deep.equal([]);
    expect(await sweepAfter(MONTH_MS)).equal(0);
    expect(await stateOf(id)).deep.equal({ value: "left", context: {} });
  });
});
