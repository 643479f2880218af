import { expect } from "chai";
import { setup } from "xstate";
import type { ActorDefinition } from "../../../actors/host/definition.ts";
import { createHost } from "../../../actors/host/host.ts";
import { commandsOf, exactly } from "../../../actors/host/schemas.ts";
import { newId } from "../../../base/ids.ts";
import { createTimerSweeper } from "../../../jobs/host/timers/sweeper.ts";
import { type TimerDoc, timersIn } from "../../../store/mongo/host/timers.ts";
import { openWorld, type World } from "./world.ts";

type Offer = {
  command: { type: "take" };
  event: { type: "take"; at: number };
  context: Record<string, never>;
  input: Record<string, never>;
  effects: Record<string, never>;
  reads: Record<string, never>;
  answer: string;
};

const bug = { isThere: false };

/** Open for a minute, then for another one to those who know; after that it is over. */
const machine = setup({
  types: {} as { context: Offer["context"]; input: Offer["input"]; events: Offer["event"] },
  guards: {
    works: () => {
      if (bug.isThere) throw new Error("the machine has a bug");
      return true;
    },
  },
  delays: { minute: 60_000 },
}).createMachine({
  id: "offer",
  initial: "open",
  context: {},
  states: {
    open: { after: { minute: { target: "late", guard: "works" } }, on: { take: "taken" } },
    late: { after: { minute: "over" } },
    over: {},
    taken: {},
  },
});

const definition: ActorDefinition<Offer> = {
  name: "offer",
  version: 1,
  machine,
  context: exactly({}),
  input: exactly({}),
  commands: commandsOf({ take: {} }),
  prepare: async () => ({}),
  effects: {},
  answer: ({ path }) => path,
};

describe("a timer that is due", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());
  afterEach(() => {
    bug.isThere = false;
  });

  async function offer() {
    const host = createHost({ ...world.deps, outbox: world.outbox, machines: [definition] });
    const id = newId();
    await host.create(definition, id, {}, { by: null });
    return {
      host,
      id,
      take: () => host.ask(definition, id, { type: "take" }, { by: null }),
      timers: () => timersIn(world.mongo.db).ofActor(`offer:${id}`),
      path: async () => {
        const page = await host.history("offer", id, { skip: 0, limit: 10 });
        return page.items.map(({ to }) => to);
      },
    };
  }

  it("happens before what comes after it, though nobody has fired it", async () => {
    const { take, timers, path } = await offer();

    world.move(60_000);
    const reply = await take();

    expect(reply).deep.include({
      ok: false,
      refusal: { code: "invalid_state", details: { status: "late" } },
    });
    expect(await path()).deep.equal(["open", "late"]);
    expect((await timers()).map(({ dueAt }) => dueAt.getTime() - world.clock.now())).deep.equal([60_000]);
  });

  it("leaves what comes a millisecond before it alone", async () => {
    const { take } = await offer();

    world.move(59_999);

    expect(await take()).deep.equal({ ok: true, answer: "taken" });
  });

  it("is known to actors whose snapshots were stored without their timers", async () => {
    const { id, take } = await offer();
    const snapshots = world.mongo.db.collection<{ _id: string }>("snapshots");
    await snapshots.updateOne({ _id: `offer:${id}` }, { $unset: { timers: 1 }, $inc: { version: 1 } });

    world.move(60_000);

    expect((await take()).ok).equal(false);
  });

  it("stays when its event makes the machine fail, comes again ever more rarely, and is logged as an error", async () => {
    const { host, timers, path } = await offer();
    const { mongo, clock, deps } = world;
    const sweeper = createTimerSweeper({ host, mongo, clock, log: deps.log });
    const waits: number[] = [];
    bug.isThere = true;
    world.move(60_000);
    for (let n = 0; n < 4; n++) {
      await sweeper.tick();
      const [left]: TimerDoc[] = await timers();
      waits.push((left?.leasedUntil.getTime() ?? 0) - clock.now());
      world.move(waits.at(-1) ?? 0);
    }
    const failures = world.lines.filter(({ message }) => message === "a timer's event fails");
    bug.isThere = false;
    await sweeper.tick();

    expect(waits).deep.equal([1_000, 1_000, 2_000, 4_000]);
    expect(failures).length(4);
    expect(failures[0]?.level).equal("error");
    expect(await path()).deep.equal(["open", "late"]);
  });
});
