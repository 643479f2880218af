import fc from "fast-check";
import type { Actors } from "../../../../actors/actors.ts";
import { isUnavailable } from "../../../../base/failures/unavailable.ts";
import { ServiceError, unavailable } from "../../../../contract/errors.ts";
import { openTransactionsIn } from "../../../../store/mongo/driver/abandoned-transactions.ts";
import { payingOf } from "../../monetization/payments/paying.ts";
import { expectAgreement, expectNothingLeftOver } from "../agreement.ts";
import { openWorld, type World } from "../world.ts";
import { accountsOf } from "./accounts-of.ts";
import { type Act, program, REDEMPTION_EXPIRY_MS, type Step } from "./acts.ts";
import { type Asking, type Channel, openChannel } from "./channel.ts";
import { isFailing, type Process, startFailingProcess } from "./failing-process.ts";

const MAX_TRIES = 8;
/** After this many operations a new database is used, since all of it is checked after each program. */
const OPERATIONS_A_WORLD = 1_000;

/** Two surviving processes; the second one can never publish anything. */
type Stage = { world: World; living: readonly [Process, Process]; count(what: string): void };

/**
 * Random programs of rewards, predictions, earnings and tips on one channel, by several concurrent processes: one can't publish
 * anything, others die at any command, or their commits fail or lose their answers. Requests without an answer are retried with
 * their key. After each program everything is conserved, settled and published. Returns how often each thing happened.
 */
export async function runPrograms(
  { seed, operations }: { seed: number; operations: number },
  print: (line: string) => void,
): Promise<Record<string, number>> {
  print(`random programs: seed ${seed}`);
  const figures: Record<string, number> = {};
  const count = (what: string) => {
    figures[what] = (figures[what] ?? 0) + 1;
  };
  const done = () => figures.operations ?? 0;
  for (let next = seed; done() < operations; ) {
    const until = Math.min(operations, done() + OPERATIONS_A_WORLD);
    next = await runInOneWorld(next, count, () => done() >= until);
    print(`${done()} of ${operations} operations, ${figures.died ?? 0} deaths`);
  }
  return figures;
}

/** Returns the next seed. */
async function runInOneWorld(
  seed: number,
  count: (what: string) => void,
  isOver: () => boolean,
): Promise<number> {
  const world = await openWorld();
  const processOf = (actors: Actors): Process => ({
    ...actors,
    paying: payingOf({ ...world.deps, actors }),
  });
  const away = () => Promise.reject(unavailable());
  const silent = world.rival({ publishRoom: away, publishUsers: away });
  const stage: Stage = { world, living: [processOf(world), processOf(silent)], count };
  const holds = fc.asyncProperty(program, async (steps) => {
    if (!isOver()) await run(stage, steps);
  });
  try {
    for (; !isOver(); seed++) {
      // The soak prints only an error's message, so it has to contain the failure.
      await fc.assert(holds, { seed, numRuns: 5, endOnFailure: true, includeErrorInReport: true });
    }
    return seed;
  } finally {
    await world.close();
  }
}

async function run(stage: Stage, steps: Step[]): Promise<void> {
  const { world } = stage;
  const channel = await openChannel(world);
  try {
    await runOn(channel, stage, steps);
  } catch (err) {
    const reason = err instanceof Error ? err.stack : String(err);
    const accounts = await accountsOf(world.mongo.db, channel.owner);
    throw new Error(`${reason}\n${accounts}`, { cause: err });
  }
}

async function runOn(channel: Channel, stage: Stage, steps: Step[]): Promise<void> {
  const { world, living, count } = stage;
  for (const { acts, passMs, fault } of steps) {
    const failing = fault && (await startFailingProcess(world, fault));
    const processes = failing ? [...living, failing] : living;
    const running = acts.map((act, i) => {
      const asking = channel.plan(act);
      return asking && note(stage, act, asking, processes[i % processes.length] ?? living[0]);
    });
    await Promise.all(running);
    if (failing?.isDead()) count("died");
    await failing?.end();
    await world.pass(passMs);
    if (passMs >= REDEMPTION_EXPIRY_MS) await world.redemptions.refundExpired();
  }
  await settle(stage, channel);
  await channel.expectConserved();
  await expectAgreement(world.mongo.db);
  await expectNothingLeftOver(world.mongo.db);
}

/** Sends the request to the process, and without an answer again to a surviving one. */
async function note(
  { world, living, count }: Stage,
  { type }: Act,
  ask: Asking,
  first: Process,
): Promise<void> {
  let outcome = await outcomeOf(type, ask(first, false), first);
  for (let n = 1; outcome === null; n++) {
    if (n === MAX_TRIES) throw new Error(`nobody answers: ${type}`);
    count("retried");
    // As the job does after three seconds: live transactions are aborted as well and retried.
    const transactions = openTransactionsIn(world.mongo);
    await transactions.end(await transactions.waiting());
    outcome = await outcomeOf(type, ask(living[0], true), living[0]);
  }
  count(outcome);
  count("operations");
}

/** The outcome: the name for a success, the code of a refusal; null without an answer, or for what would be a 503. */
async function outcomeOf(name: string, call: Promise<void>, at: Process): Promise<string | null> {
  const answer = call.then(
    () => name,
    (err: unknown) => {
      if (isUnavailable(err)) return null;
      if (err instanceof ServiceError) return err.code;
      if (isFailing(at)) return null;
      throw err;
    },
  );
  return isFailing(at) ? Promise.race([at.died, answer]) : answer;
}

/** Takes over everything that was left behind. */
async function settle({ world, living }: Stage, { owner, streamId }: Channel): Promise<void> {
  const left = await world.predictions.openOf(streamId);
  if (left) await world.predictions.cancel(left._id, owner);
  for (let quiet = 0; quiet < 2; ) {
    for (const { host } of living) await host.idle();
    world.move(10_000);
    await living[0].paying.sweep();
    const done = (await world.sweeper.tick()) + (await world.relay.tick());
    await world.settled();
    quiet = done === 0 ? quiet + 1 : 0;
  }
}
