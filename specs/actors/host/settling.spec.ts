import { expect } from "chai";
import Type from "typebox";
import { assign, cancel, raise, setup } from "xstate";
import { BatchDecision } from "../../../actors/host/batch-decision.ts";
import type { ActorDefinition } from "../../../actors/host/definition.ts";
import { type EffectsOf, eachOf, effect } from "../../../actors/host/effect.ts";
import { createHost } from "../../../actors/host/host.ts";
import { MemberPrefetch } from "../../../actors/host/member-prefetch.ts";
import { commandsOf, exactly } from "../../../actors/host/schemas.ts";
import {
  NO_MEMBERS,
  type Progress,
  SETTLE,
  SETTLE_TAKEOVER_MS,
  type SettleEvent,
  type SettlingBatch,
  settlingGuards,
  settlingState,
} from "../../../actors/host/settling.ts";
import { newId } from "../../../base/ids.ts";
import { createTimerSweeper } from "../../../jobs/host/timers/sweeper.ts";
import { timersIn } from "../../../store/mongo/host/timers.ts";
import { eventually } from "../../support/eventually.ts";
import { openWorld, type World } from "./world.ts";

type Member = { _id: string; club: string };
type Batch = SettlingBatch<Member, Progress>;

const effects = { greet: effect<Batch>() };

type Club = {
  command: { type: "close" };
  event: { at: number } & (Club["command"] | SettleEvent<Batch>);
  context: { settled: Progress };
  input: Record<string, never>;
  effects: EffectsOf<typeof effects>;
  reads: Record<string, never>;
  answer: string;
};

const greet = {
  type: "greet",
  params: ({ event }: { event: Club["event"] }) => {
    if (event.type !== SETTLE || !event.batch) throw new Error("nobody to greet");
    return event.batch;
  },
} as const;

/** Greets all of its members once it is closed. */
const machine = setup({
  types: {} as { context: Club["context"]; input: Club["input"]; events: Club["event"] },
  actions: {
    ...effects,
    noteSettled: assign({
      settled: ({ context, event }) => (event.type === SETTLE && event.batch?.to) || context.settled,
    }),
    armSettling: raise({ type: SETTLE, batch: null, at: 0 }, { id: SETTLE, delay: "settleAgain" }),
    disarmSettling: cancel(SETTLE),
  },
  guards: settlingGuards,
  delays: { settleAgain: SETTLE_TAKEOVER_MS },
}).createMachine({
  id: "club",
  initial: "open",
  context: { settled: { cursor: "" } },
  states: {
    open: { on: { close: "greeting" } },
    greeting: settlingState("greeting", "over", greet),
    over: { type: "final" },
  },
});

describe("the members of an actor", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const members = () => world.mongo.db.collection<Member>("members");
  const greetings = () =>
    world.mongo.db.collection<{ _id: string; club: string; commit: string }>("greetings");

  const clubDefinition = (
    batchSize: number,
    read: (members: Promise<Member[]>) => Promise<Member[]> = (found) => found,
  ): ActorDefinition<Club> => ({
    name: "club",
    version: 1,
    machine,
    context: exactly({ settled: exactly({ cursor: Type.String() }) }),
    input: exactly({}),
    commands: commandsOf({ close: {} }),
    prepare: async () => ({}),
    effects: {
      greet: {
        async write(batches, session) {
          for (const [{ params }, { id }] of eachOf(batches)) {
            const commit = params.from.cursor;
            const rows = params.members.map(({ _id }) => ({ _id, club: id, commit }));
            if (rows.length > 0) await greetings().insertMany(rows, { session });
          }
        },
      },
    },
    settling: {
      states: ["greeting"],
      batchSize,
      after: (club, cursor, limit) =>
        read(
          members()
            .find({ club, _id: { $gt: cursor } })
            .sort({ _id: 1 })
            .limit(limit)
            .toArray(),
        ),
      progress: ({ settled }) => settled,
      advance: (from, batch) => ({ cursor: batch.at(-1)?._id ?? from.cursor }),
    },
    answer: ({ path }) => path,
  });

  async function club(size: number, batchSize = 100, definition = clubDefinition(batchSize)) {
    const parts = { ...world.deps, outbox: world.outbox, machines: [definition] };
    const host = createHost(parts);
    const inSteps = createHost({ ...parts, continueSettling: false });
    const id = newId();
    if (size > 0) {
      await members().insertMany(Array.from({ length: size }, () => ({ _id: newId(), club: id })));
    }
    await host.create(definition, id, {}, { by: null });
    return {
      definition,
      host,
      inSteps,
      id,
      close: (by = host) => by.ask(definition, id, { type: "close" }, { by: null }),
      path: async () => (await host.history("club", id, { skip: 0, limit: 10 })).items.at(-1)?.to,
      greeted: async () => {
        const rows = await greetings().find({ club: id }).toArray();
        const commits = [...new Set(rows.map(({ commit }) => commit))];
        return commits.map((commit) => rows.filter((row) => row.commit === commit).length);
      },
      timers: () => timersIn(world.mongo.db).ofActor(`club:${id}`),
    };
  }

  const sweeper = (host: ReturnType<typeof createHost>) =>
    createTimerSweeper({ host, mongo: world.mongo, clock: world.clock, log: world.deps.log });

  it("are dealt with once each, a batch a commit", async () => {
    const { close, path, greeted, timers } = await club(250);

    await close();

    await eventually(async () => (await path()) === "over");
    expect((await greeted()).sort()).deep.equal([100, 100, 50]);
    expect(await timers()).deep.equal([]);
  });

  it("are none now and then, or exactly a batch", async () => {
    for (const size of [0, 100]) {
      const { close, path, greeted } = await club(size);

      await close();

      await eventually(async () => (await path()) === "over");
      expect(await greeted()).deep.equal(size === 0 ? [] : [100]);
    }
  });

  it("are gone on with by another process when the one that did it is gone", async () => {
    const { inSteps, host, close, path, greeted } = await club(250);
    await close(inSteps);
    expect(await greeted()).deep.equal([]);

    world.move(SETTLE_TAKEOVER_MS);
    await sweeper(inSteps).tick();
    expect(await greeted()).deep.equal([100]);

    world.move(SETTLE_TAKEOVER_MS);
    await sweeper(host).tick();

    await eventually(async () => (await path()) === "over");
    expect((await greeted()).sort()).deep.equal([100, 100, 50]);
  });

  it("aren't dealt with before they are known: a timer that comes due meanwhile stays", async () => {
    const { definition } = await club(0);
    const at = world.clock.now();
    const decision = new BatchDecision(
      {
        definition,
        actor: "club:a",
        id: "a",
        version: 0,
        snapshot: null,
        stored: [],
        timers: new Set(),
        answered: new Map(),
        expiredKeys: [],
        reads: {},
        members: NO_MEMBERS,
      },
      new Date(at),
    );
    const request = (afterMs: number) => ({
      command: { type: "close" as const },
      input: {},
      timer: null,
      by: null,
      once: null,
      at: new Date(at + afterMs),
      deadline: Number.POSITIVE_INFINITY,
      answer: () => undefined,
    });

    decision.take(request(0));
    decision.take(request(SETTLE_TAKEOVER_MS * 2));

    expect(decision.state?.path).equal("greeting");
    expect(decision.timers.current.map(({ timerId }) => timerId)).deep.equal([SETTLE]);
  });

  it("that can't be read hold up nothing else, not even what was answered before", async () => {
    const broken = { is: true };
    const definition = clubDefinition(100, (found) => {
      if (!broken.is) return found;
      found.catch(() => undefined);
      return Promise.reject(new Error("unreadable"));
    });
    const { id, inSteps, path, greeted } = await club(50, 100, definition);
    const close = () =>
      inSteps.ask(definition, id, { type: "close" }, { by: null, once: { key: `${id}:close`, request: {} } });
    const answer = await close();
    world.move(SETTLE_TAKEOVER_MS);

    expect(await close()).deep.equal(answer);
    await sweeper(inSteps).tick();
    expect(await greeted()).deep.equal([]);

    broken.is = false;
    world.move(2 * SETTLE_TAKEOVER_MS);
    await sweeper(inSteps).tick();
    expect([await path(), await greeted()]).deep.equal(["over", [50]]);
  });

  it("are continued by one process at a time: one that was overtaken stops", async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let reads = 0;
    const slowly = clubDefinition(10, async (found) => {
      reads += 1;
      if (reads === 1) await gate;
      return found;
    });
    const { id, host, definition, path } = await club(50, 10, slowly);
    await host.ask(definition, id, { type: "close" }, { by: null });
    await eventually(() => reads === 1);
    const steps: string[] = [];
    const other = createHost({
      ...world.deps,
      outbox: world.outbox,
      machines: [clubDefinition(10)],
      continueSettling: false,
    });
    world.move(SETTLE_TAKEOVER_MS);
    await sweeper(other).tick();
    steps.push(String(await path()));
    open();
    await host.idle();

    // The first process had gone on from a version that is no more, and left it to the timer.
    expect([...steps, await path()]).deep.equal(["greeting", "greeting"]);
    for (let n = 0; n < 5; n++) {
      world.move(SETTLE_TAKEOVER_MS);
      await sweeper(other).tick();
    }
    expect(await path()).equal("over");
  });

  it("can't be settled from outside", async () => {
    const { definition, id, host } = await club(1);
    const settle = JSON.parse('{"type":"settle"}');

    const failed = await host.ask(definition, id, settle, { by: null }).catch((err: unknown) => err);

    expect(failed).include({ code: "validation_failed" });
  });
});

describe("members that are read ahead", () => {
  const reads: string[] = [];
  const settling = {
    states: [],
    batchSize: 10,
    progress: () => ({ cursor: "" }),
    advance: () => ({ cursor: "" }),
    after: async (id: string, cursor: string) => [
      reads.push(`${id} after ${cursor}`) && `${id} after ${cursor}`,
    ],
  };
  const one = (id: string) => ({ actor: `club:${id}`, id });
  beforeEach(() => void reads.splice(0));

  it("aren't read again", async () => {
    const prefetch = new MemberPrefetch();
    prefetch.begin(settling, one("a"), "7");

    expect(await prefetch.take(settling, one("a"), "7")).deep.equal(["a after 7"]);
    expect(reads).deep.equal(["a after 7"]);
  });

  it("are dropped when another process was faster", async () => {
    const prefetch = new MemberPrefetch();
    prefetch.begin(settling, one("a"), "7");

    expect(await prefetch.take(settling, one("a"), "9")).deep.equal(["a after 9"]);
    expect(await prefetch.take(settling, one("a"), "7")).deep.equal(["a after 7"]);
    expect(reads).have.length(3);
  });

  it("are those of the 32 that began last: the others may have been taken over", async () => {
    const prefetch = new MemberPrefetch();
    for (let n = 0; n < 40; n++) prefetch.begin(settling, one(`a${n}`), "0");
    reads.splice(0);

    for (let n = 0; n < 40; n++) await prefetch.take(settling, one(`a${n}`), "0");

    expect(reads).deep.equal(Array.from({ length: 8 }, (_, n) => `a${n} after 0`));
  });
});
