import { newId } from "../../../../base/ids.ts";
import { startAbandonedTransactions } from "../../../../jobs/host/abandoned-transactions/sweep.ts";
import type { Child } from "../../../stress/child.ts";
import { isReady } from "../../../stress/child.ts";
import { withChildren, within } from "../../../stress/children.ts";
import { bundle } from "../../../support/bundle.ts";
import { eventually } from "../../../support/eventually.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { isStopped } from "../../../support/stopped.ts";
import { auditTallies } from "./audit.ts";
import { isOutcome, type Job, type Outcome } from "./messages.ts";
import { openTallies } from "./open-tallies.ts";
import type { Moment } from "./tally.ts";

const OTHERS = 2;

type ZombieOptions = { moment: Moment; events: number; deadlineMs: number };

/**
 * A process is stopped while it holds an actor's turn and a half-done batch, and others send to the same actor; then it
 * resumes where it was.
 * Figures: how long the others waited for the first answer.
 */
export async function runZombie({ moment, events, deadlineMs }: ZombieOptions) {
  const worker = await bundle("specs/actors/host/contention/tally-worker.ts");
  const { mongo, database, close } = await openTallies();
  const cleaner = startAbandonedTransactions({ mongo, log: quietLog() });
  try {
    return await withChildren(async (start) => {
      const hire = async (input: object): Promise<Child> => {
        const child = start(worker, input);
        await child.next(isReady);
        return child;
      };
      const actor = newId();
      const jobs = Array.from({ length: events }, (_, i): Job => ({ op: `${i}`, actor, amount: i + 1 }));
      const stale = jobs.slice(0, 5);
      const zombie = await hire({ database, name: "zombie", freeze: { op: "0", moment } });
      const others = await Promise.all(
        Array.from({ length: OTHERS }, (_, i) => hire({ database, name: `other ${i}` })),
      );

      for (const job of stale) zombie.send(job);
      await eventually(() => isStopped(zombie.pid), { what: "it stops with its batch in hand" });
      const begun = performance.now();
      for (const [i, job] of jobs.slice(stale.length).entries()) others[i % OTHERS]?.send(job);
      const answers = others.map((other) => other.next(isOutcome));
      await within(deadlineMs, "the others go on without it", Promise.race(answers));
      const blockedMs = Math.round(performance.now() - begun);
      const outcomes = () => outcomesOf([zombie, ...others]);
      const all = (count: number) => () => outcomes().size >= count;
      await eventually(all(jobs.length - stale.length), {
        withinMs: deadlineMs,
        what: "all others answered",
      });
      if (!isStopped(zombie.pid)) throw new Error("it woke up before it was to");

      zombie.kill("SIGCONT");
      await eventually(all(jobs.length), { withinMs: deadlineMs, what: "the zombie's own are answered" });
      const { accepted, commits } = await auditTallies(mongo.db, jobs, outcomes());
      return { blockedMs, accepted, commits };
    });
  } finally {
    await cleaner.stop();
    await close();
  }
}

const outcomesOf = (children: Child[]) =>
  new Map<string, Outcome>(
    children
      .flatMap(({ received: messages }) => messages.filter(isOutcome))
      .map((outcome) => [outcome.op, outcome]),
  );
