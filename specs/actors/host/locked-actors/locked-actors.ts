import { createHost } from "../../../../actors/host/host.ts";
import { newId } from "../../../../base/ids.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import { percentile } from "../../../stress/percentile.ts";
import { type Chance, chanceFrom } from "../../../stress/seed.ts";
import { counterDefinition } from "../counter.ts";
import { openWorld, type World } from "../world.ts";

type LockedOptions = {
  seed: number;
  actors: number;
  /** How many of them are locked by a foreign transaction. */
  locked: number;
  /** Concurrent requests to the others. */
  clients: number;
  /** Number of pairs of a quiet round and one with locks. */
  rounds: number;
  /** A round ends when that many requests to the others were answered and `roundMs` is over. */
  asks: number;
  roundMs: number;
  /** Deadline for the answer of a locked actor. */
  deadlineMs: number;
  /** Maximum ratio of the others' p99 in rounds with locks; null: not checked. */
  ratio: number | null;
};

type Answer = { isOk: boolean; ms: number };
/** `isHeld`: the locks were held for the whole round, and nobody wrote the locked documents. */
type Round = { others: Answer[]; locked: Answer[]; isHeld: boolean };

/**
 * Locks the snapshots of a few among many actors, and compares the others' latency with quiet rounds of the same run. Throws when
 * one of the others is refused, when they become too slow, when a locked one is written or isn't answered in time, or when a
 * count differs from what was accepted.
 */
export async function runLockedActors(options: LockedOptions, print: (line: string) => void) {
  const world = await openWorld();
  try {
    const crowd = await openCrowd(world, options);
    await crowd.round(); // warm-up: compiles code and opens connections
    const quiet: Round[] = [];
    const held: Round[] = [];
    for (let n = 0; n < options.rounds; n++) {
      quiet.push(await crowd.round());
      held.push(await crowd.lockedRound());
      print(
        `others: ${summaryOf(quiet.at(-1))} quiet, ${summaryOf(held.at(-1))} beside ${options.locked} locked`,
      );
    }
    await crowd.expectCounts();
    await crowd.stop();
    return verdict(options, quiet, held);
  } finally {
    await world.close();
  }
}

async function openCrowd(world: World, { seed, actors, locked: few, clients, asks, roundMs }: LockedOptions) {
  const definition = counterDefinition();
  const host = createHost({ ...world.deps, outbox: world.outbox, machines: [definition] });
  const ids = Array.from({ length: actors }, newId);
  await Promise.all(ids.map((id) => host.create(definition, id, { start: 0 }, { by: null })));
  const [locked, others] = [ids.slice(0, few), ids.slice(few)];
  const accepted = new Map<string, { sure: number; maybe: number }>();
  const chance: Chance = chanceFrom(seed);

  const add = (id: string, amount: number) => host.ask(definition, id, { type: "add", amount }, { by: null });

  async function ask(id: string): Promise<Answer> {
    const count = accepted.get(id) ?? { sure: 0, maybe: 0 };
    accepted.set(id, count);
    const since = performance.now();
    try {
      await add(id, 1);
      count.sure++;
      return { isOk: true, ms: performance.now() - since };
    } catch (err) {
      if (!(err instanceof ServiceError) || err.code !== "unavailable") throw err;
      count.maybe++;
      return { isOk: false, ms: performance.now() - since };
    }
  }

  async function expectCount([id, { sure, maybe }]: [
    string,
    { sure: number; maybe: number },
  ]): Promise<void> {
    const reply = await add(id, 0);
    const count = reply.ok ? reply.answer.count : null;
    if (count === null || count < sure || count > sure + maybe) {
      throw new Error(`${sure} were accepted and ${maybe} in doubt, the actor counts ${count}`);
    }
  }

  /** `settle` is called when the others are done, while requests to locked ones may still be pending. */
  async function round(settle: (round: Round) => Promise<void> = async () => undefined): Promise<Round> {
    const answers: Round = { others: [], locked: [], isHeld: false };
    const since = performance.now();
    const isOver = () => answers.others.length >= asks && performance.now() - since >= roundMs;
    const askOthers = async () => {
      while (!isOver()) answers.others.push(await ask(chance.one(others)));
    };
    const askLocked = async (id: string) => {
      while (!isOver()) answers.locked.push(await ask(id));
    };
    const waiting = Promise.all(locked.map(askLocked));
    await Promise.all(Array.from({ length: clients }, askOthers)).finally(() => settle(answers));
    await waiting;
    return answers;
  }

  return {
    round,

    async lockedRound(): Promise<Round> {
      const holder = world.mongo.client.startSession();
      holder.startTransaction();
      const snapshots = world.mongo.db.collection<{ _id: string; version: number }>("snapshots");
      const names = locked.map((id) => `counter:${id}`);
      await snapshots.updateMany({ _id: { $in: names } }, { $set: { held: true } }, { session: holder });
      const versions = async () =>
        (
          await snapshots
            .find({ _id: { $in: names } })
            .sort({ _id: 1 })
            .toArray()
        ).map(({ version }) => version);
      const before = await versions();
      return round(async (answers) => {
        answers.isHeld = String(await versions()) === String(before);
        await holder.abortTransaction();
        await holder.endSession();
      });
    },

    async expectCounts(): Promise<void> {
      await host.idle();
      await Promise.all([...accepted].map(expectCount));
    },

    stop: () => host.stop(),
  };
}

function verdict({ deadlineMs, ratio }: LockedOptions, quiet: Round[], held: Round[]) {
  const others = {
    quiet: quiet.flatMap((round) => round.others),
    held: held.flatMap((round) => round.others),
  };
  const locked = held.flatMap((round) => round.locked);
  const figures = {
    quietP99Ms: latency(others.quiet, 0.99),
    heldP99Ms: latency(others.held, 0.99),
    p99Ratio: Math.round((latency(others.held, 0.99) / latency(others.quiet, 0.99)) * 100) / 100,
    quietP50Ms: latency(others.quiet, 0.5),
    heldP50Ms: latency(others.held, 0.5),
    quietAnswers: others.quiet.length,
    heldAnswers: others.held.length,
    refused: [...others.quiet, ...others.held].filter(({ isOk }) => !isOk).length,
    lockedAnswers: locked.length,
    lockedRefused: locked.filter(({ isOk }) => !isOk).length,
    lockedLongestMs: latency(locked, 1),
  };
  if (figures.refused > 0)
    throw new Error(`${figures.refused} requests to actors without a lock were refused`);
  if (!held.every(({ isHeld }) => isHeld)) throw new Error("a lock was lost, or a locked actor written");
  if (figures.lockedLongestMs > deadlineMs) {
    throw new Error(`a request to a locked actor was answered after ${figures.lockedLongestMs} ms`);
  }
  if (ratio !== null && figures.p99Ratio > ratio) {
    throw new Error(
      `the others' p99 is ${figures.heldP99Ms} ms beside locks, ${figures.quietP99Ms} ms without`,
    );
  }
  return figures;
}

const latency = (answers: readonly Answer[], share: number) =>
  percentile(
    answers.map(({ ms }) => ms),
    share,
  );

const summaryOf = (round: Round | undefined) =>
  `${round?.others.length ?? 0} answers, p99 ${latency(round?.others ?? [], 0.99)} ms`;
