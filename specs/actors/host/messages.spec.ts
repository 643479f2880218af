import { expect } from "chai";
import Type from "typebox";
import { setup } from "xstate";
import type { ActorDefinition, CommittedTransition } from "../../../actors/host/definition.ts";
import { type EffectsOf, eachOf, effect } from "../../../actors/host/effect.ts";
import { createHost } from "../../../actors/host/host.ts";
import { commandsOf, exactly } from "../../../actors/host/schemas.ts";
import { newId } from "../../../base/ids.ts";
import { createTimerSweeper } from "../../../jobs/host/timers/sweeper.ts";
import { snapshotsIn } from "../../../store/mongo/host/snapshots.ts";
import { timersIn } from "../../../store/mongo/host/timers.ts";
import { eventually } from "../../support/eventually.ts";
import { counterDefinition } from "./counter.ts";
import { openWorld, type World } from "./world.ts";

const effects = { send: effect<{ to: string; amount: number; birth: boolean }>() };

type Sender = {
  command: { type: "send"; to: string; amount: number; birth: boolean };
  event: Sender["command"] & { at: number };
  context: Record<string, never>;
  input: Record<string, never>;
  effects: EffectsOf<typeof effects>;
  reads: Record<string, never>;
  answer: string;
};

const machine = setup({
  types: {} as { context: Sender["context"]; input: Sender["input"]; events: Sender["event"] },
  actions: effects,
}).createMachine({
  id: "sender",
  initial: "open",
  context: {},
  states: {
    open: {
      on: {
        send: {
          actions: [
            {
              type: "send",
              params: ({ event: { to, amount, birth } }) => ({ to, amount, birth }),
            },
          ],
        },
      },
    },
  },
});

/** Sends a command to a counter for each of its own; `mayWrite` false fails the commit. */
const senderDefinition = (mayWrite: () => boolean = () => true): ActorDefinition<Sender> => ({
  name: "sender",
  version: 1,
  machine,
  context: exactly({}),
  input: exactly({}),
  commands: commandsOf({
    send: {
      to: Type.String(),
      amount: Type.Integer(),
      birth: Type.Boolean(),
    },
  }),
  prepare: async () => ({}),
  effects: {
    send: {
      write(batches) {
        for (const [{ params, by }, { outbox }] of eachOf(batches)) {
          const input = params.birth ? { start: 0 } : undefined;
          const options = { by, ...(input ? { input } : {}) };
          const command = { type: "add", amount: params.amount };
          outbox.send("counter", params.to, command, options);
        }
        if (!mayWrite()) throw new Error("the commit fails");
      },
    },
  },
  answer: ({ path }) => path,
});

describe("a message from one actor to another", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  /** `knowsCounters` false: a process that can't hand the message over itself. */
  async function sender(options: { mayWrite?: () => boolean; knowsCounters?: boolean } = {}) {
    const definition = senderDefinition(options.mayWrite);
    const transitions: CommittedTransition[] = [];
    const counters: ReturnType<typeof counterDefinition> = {
      ...counterDefinition(),
      committed: (some) => void transitions.push(...some),
    };
    const parts = { ...world.deps, outbox: world.outbox };
    const all = createHost({ ...parts, machines: [definition, counters] });
    const host = options.knowsCounters === false ? createHost({ ...parts, machines: [definition] }) : all;
    const id = newId();
    const to = newId();
    await host.create(definition, id, {}, { by: null });
    return {
      all,
      to,
      /** The counter's changes of state, as its definition is notified of them. */
      transitions,
      send: (amount: number, birth = false) =>
        host.ask(definition, id, { type: "send", to, amount, birth }, { by: "somebody" }),
      makeCounter: () => all.create(counters, to, { start: 0 }, { by: null }),
      count: async () => {
        const doc = await snapshotsIn(world.mongo.db).find(`counter:${to}`);
        return doc ? Object(doc.snapshot).context.count : null;
      },
      waiting: async () => (await timersIn(world.mongo.db).ofActor(`counter:${to}`)).length,
    };
  }

  it("is received once, right after the commit that it is part of", async () => {
    const { send, makeCounter, count, waiting } = await sender();
    await makeCounter();

    await Promise.all([send(1), send(2), send(3)]);

    await eventually(async () => (await count()) === 6);
    expect(await waiting()).equal(0);
  });

  it("isn't sent when its commit fails", async () => {
    const { send, makeCounter, count, waiting } = await sender({ mayWrite: () => false });
    await makeCounter();

    expect(await send(1).catch((err: unknown) => String(err))).contain("the commit fails");

    expect([await count(), await waiting()]).deep.equal([0, 0]);
  });

  it("survives its sender's process: the sweeper hands it over, once", async () => {
    const { all, send, makeCounter, count, waiting } = await sender({ knowsCounters: false });
    await makeCounter();
    await send(5);
    expect([await count(), await waiting()]).deep.equal([0, 1]);

    const { mongo, clock, deps } = world;
    const sweepers = [1, 2].map(() => createTimerSweeper({ host: all, mongo, clock, log: deps.log }));
    await Promise.all(sweepers.map((sweeper) => sweeper.tick()));

    expect([await count(), await waiting()]).deep.equal([5, 0]);
  });

  it("takes effect once, also when it is handed over again", async () => {
    const { all, send, makeCounter, count, to } = await sender({ knowsCounters: false });
    await makeCounter();
    await send(5);
    const [message] = await timersIn(world.mongo.db).ofActor(`counter:${to}`);
    if (!message) throw new Error("no message was sent");

    expect(await Promise.all([all.fire(message), all.fire(message)])).have.members(["fired", "stale"]);
    expect(await all.fire(message)).equal("stale");

    expect(await count()).equal(5);
  });

  it("brings its actor to life where it brings what that takes", async () => {
    const { send, count } = await sender();

    await send(4, true);

    await eventually(async () => (await count()) === 4);
  });

  it("that is refused is logged, kept in the history of its actor, and gone", async () => {
    const { send, makeCounter, count, waiting, to, transitions } = await sender();
    await makeCounter();

    await send(-1);

    await eventually(async () => (await waiting()) === 0);
    expect(await count()).equal(0);
    const refusals = world.lines.filter(
      ({ message }) => message === "an actor refused another one's message",
    );
    expect(refusals.map(({ fields }) => fields)).deep.equal([
      { actor: `counter:${to}`, command: "add", refusal: { code: "insufficient_points" } },
    ]);
    const history = world.mongo.db.collection("history");
    expect(await history.countDocuments({ actor: `counter:${to}`, refused: "insufficient_points" })).equal(1);
    expect(
      transitions.map(({ from }) => from),
      "no change of state",
    ).deep.equal([null]);
  });

  it("to nobody is logged and gone", async () => {
    const { send, waiting } = await sender();

    await send(1);

    await eventually(async () => (await waiting()) === 0);
  });
});
