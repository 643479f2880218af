import { expect } from "chai";
import { GroupCommit } from "../../../actors/host/group-commit.ts";
import { createHost } from "../../../actors/host/host.ts";
import { newId } from "../../../base/ids.ts";
import { counterDefinition } from "./counter.ts";
import { openWorld, type World } from "./world.ts";

/** Runs that end when the spec says so. */
function groupCommit(options: {
  concurrency: number;
  maxBatch: number;
  bad?: string;
  isShared?: boolean;
  maxWaitMs?: number;
}) {
  const runs: string[][] = [];
  const ends: (() => void)[] = [];
  const { concurrency, maxBatch, bad, isShared = false, maxWaitMs = 60_000 } = options;
  const all = {
    maxWaitMs,
    timeoutError: () => new Error("late"),
    async run(items: string[]) {
      runs.push(items);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (bad !== undefined && items.includes(bad)) throw new Error("no");
      return items.map((item) => item.toUpperCase());
    },
  };
  const commit = new GroupCommit<string, string>({ ...all, concurrency: 9, maxBatch: 1, single: null });
  const shared = new GroupCommit<string, string>({
    ...all,
    concurrency,
    maxBatch,
    isHurried: (item: string) => item === item.toUpperCase(),
    single: { commit, isWorthTrying: () => !isShared },
  });
  return {
    runs,
    ask: (item: string) => shared.do(item).catch((err: unknown) => String(err)),
    /** Ends the run that began first, and lets what comes of it begin. */
    async endOne(): Promise<void> {
      ends.shift()?.();
      await new Promise(setImmediate);
    },
    /** Ends what runs, and what comes of it, until nothing does. */
    async endAll(answers: Promise<string>[]): Promise<string[]> {
      let isOver = false;
      const all = Promise.all(answers).finally(() => {
        isOver = true;
      });
      while (!isOver) {
        for (const end of ends.splice(0)) end();
        await new Promise(setImmediate);
      }
      return all;
    },
  };
}

describe("a group commit", () => {
  it("lets those go alone who come alone, and those share who come faster than it runs", async () => {
    const { runs, ask, endAll } = groupCommit({ concurrency: 2, maxBatch: 3 });

    const answers = await endAll([..."abcdefgh"].map(ask));

    expect(runs).deep.equal([["a"], ["b"], ["c", "d", "e"], ["f", "g", "h"]]);
    expect(answers).deep.equal([..."ABCDEFGH"]);
  });

  it("fails for the one at fault alone", async () => {
    const { runs, ask, endAll } = groupCommit({ concurrency: 1, maxBatch: 3, bad: "c" });

    const answers = await endAll([..."abcd"].map(ask));

    expect(answers).deep.equal(["A", "B", "Error: no", "D"]);
    expect(runs).deep.equal([["a"], ["b", "c", "d"], ["b"], ["c"], ["d"]]);
  });

  it("keeps nobody else waiting while those who failed together go one by one", async () => {
    const { runs, ask, endAll, endOne } = groupCommit({ concurrency: 1, maxBatch: 3, bad: "c" });

    const answers = [..."abcdefg"].map(ask);
    await endOne(); // a
    await endOne(); // b, c and d
    await endOne(); // e, f and g: begun beside b, c and d
    expect(runs.slice(0, 6).map(String).sort()).deep.equal(["a", "b", "b,c,d", "c", "d", "e,f,g"]);

    expect(await endAll(answers)).deep.equal(["A", "B", "Error: no", "D", "E", "F", "G"]);
  });

  it("lets those in a hurry share runs with each other alone", async () => {
    const { runs, ask, endAll } = groupCommit({ concurrency: 1, maxBatch: 3 });

    const answers = await endAll([..."abCdEfgH"].map(ask));

    expect(runs.map((items) => items.join(""))).deep.equal(["a", "bdf", "CEH", "g"]);
    expect(answers).deep.equal([..."ABCDEFGH"]);
  });

  it("begins nothing that has waited for too long", async () => {
    const { runs, ask, endAll } = groupCommit({ concurrency: 1, maxBatch: 3, maxWaitMs: -1 });

    const answers = await endAll([..."abcd"].map(ask));

    expect(answers).deep.equal(Array(4).fill("Error: late"));
    expect(runs).length(0);
  });

  it("does nothing again after a failure that all share, or of which nobody knows whether it happened", async () => {
    const { runs, ask, endAll } = groupCommit({ concurrency: 1, maxBatch: 3, bad: "c", isShared: true });

    const answers = await endAll([..."abcd"].map(ask));

    expect(answers).deep.equal(["A", "Error: no", "Error: no", "Error: no"]);
    expect(runs).length(2);
  });
});

describe("many actors at the same time", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const MANY = 100;

  it("share transactions, and one that can't be written keeps none of the others back", async () => {
    const sizes: number[] = [];
    const bad = newId();
    const definition = counterDefinition();
    const write = definition.effects.note.write;
    definition.effects.note.write = (batches, session) => {
      if (batches.some(({ id }) => id === bad)) throw new Error("this one can't be written");
      return write(batches, session);
    };
    definition.save = async (states) => void sizes.push(states.length);
    const host = createHost({ ...world.deps, outbox: world.outbox, machines: [definition] });
    const ids = [...Array.from({ length: MANY - 1 }, newId), bad];
    await Promise.all(ids.map((id) => host.create(definition, id, { start: 1 }, { by: null })));

    const replies = await Promise.allSettled(
      ids.map((id) => host.ask(definition, id, { type: "add", amount: 2 }, { by: null })),
    );

    expect(replies.map(({ status }) => status)).deep.equal([
      ...Array(MANY - 1).fill("fulfilled"),
      "rejected",
    ]);
    const versions = await world.mongo.db
      .collection<{ _id: string; version: number }>("snapshots")
      .find({ _id: { $in: ids.map((id) => `counter:${id}`) } })
      .toArray();
    expect(versions.filter(({ version }) => version === 2)).length(MANY - 1);
    expect(versions.find(({ _id }) => _id.endsWith(bad))?.version).equal(1);
    expect(Math.max(...sizes)).within(2, 64);
    expect(sizes.length).below(MANY * 2);
    await host.stop();
  });

  it("answer while others are locked, who answer once they are free", async () => {
    const definition = counterDefinition();
    const host = createHost({ ...world.deps, outbox: world.outbox, machines: [definition] });
    const ids = Array.from({ length: MANY }, newId);
    await Promise.all(ids.map((id) => host.create(definition, id, { start: 0 }, { by: null })));
    const locked = ids.slice(0, 3);
    const add = (id: string) => host.ask(definition, id, { type: "add", amount: 1 }, { by: null });
    const holder = world.mongo.client.startSession();
    holder.startTransaction();
    const snapshots = world.mongo.db.collection<{ _id: string }>("snapshots");
    for (const id of locked) {
      await snapshots.updateOne({ _id: `counter:${id}` }, { $set: { held: true } }, { session: holder });
    }

    let answered = 0;
    const waiting = locked.map((id) => add(id).finally(() => answered++));
    for (let round = 0; round < 5; round++) await Promise.all(ids.slice(3).map(add));
    const answeredMeanwhile = answered;
    await holder.abortTransaction();
    await holder.endSession();

    expect(answeredMeanwhile).equal(0);
    expect((await Promise.all(waiting)).map(({ ok }) => ok)).deep.equal([true, true, true]);
    await host.stop();
  });
});
