import { newId } from "../../../../base/ids.ts";
import { startAbandonedTransactions } from "../../../../jobs/host/abandoned-transactions/sweep.ts";
import { withChildren, within } from "../../../stress/children.ts";
import { seededRandom } from "../../../stress/seed.ts";
import { bundle } from "../../../support/bundle.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { auditTallies } from "./audit.ts";
import { Crew } from "./crew.ts";
import type { Job } from "./messages.ts";
import { openTallies } from "./open-tallies.ts";

type ContentionOptions = {
  seed: number;
  processes: number;
  actors: number;
  events: number;
  kills: number;
  deadlineMs: number;
};

/**
 * Processes send events to the same actors, and some are killed meanwhile. Afterwards each event has taken effect exactly as
 * often as it was accepted, and every actor equals its log (see audit.ts). Throws otherwise.
 */
export async function runContention(options: ContentionOptions, print: (line: string) => void) {
  const { processes, deadlineMs } = options;
  const worker = await bundle("specs/actors/host/contention/tally-worker.ts");
  const { mongo, database, close } = await openTallies();
  const cleaner = startAbandonedTransactions({ mongo, log: quietLog() });
  try {
    return await withChildren(async (start) => {
      const random = seededRandom(options.seed);
      const jobs = jobsOf(options, random);
      const crew = new Crew({
        jobs,
        processes,
        database,
        worker,
        start,
        onAnswered: killer(options, random, print),
      });
      const begun = performance.now();
      await within(deadlineMs, "every event is answered", crew.run());
      const seconds = (performance.now() - begun) / 1_000;
      const { accepted, commits } = await auditTallies(mongo.db, jobs, crew.outcomes);
      return {
        events: jobs.length,
        accepted,
        refused: jobs.length - accepted,
        commits,
        unknownByKill: crew.unknown.byKill,
        unknownByFailure: crew.unknown.byFailure,
        seconds: round(seconds),
        eventsPerSecond: Math.round(jobs.length / seconds),
      };
    });
  } finally {
    await cleaner.stop();
    await close();
  }
}

const round = (seconds: number) => Math.round(seconds * 100) / 100;

function jobsOf({ events, actors }: ContentionOptions, random: () => number): Job[] {
  const ids = Array.from({ length: actors }, newId);
  return Array.from({ length: events }, (_, i) => ({
    op: `${i}-${newId()}`,
    // Squared, so that some actors are much hotter than others.
    actor: ids[Math.floor(random() ** 2 * actors)] ?? "",
    amount: Math.floor(random() * 1_000),
  }));
}

/** Kills random processes at regular intervals of the run. */
function killer(
  { events, kills, processes }: ContentionOptions,
  random: () => number,
  print: (l: string) => void,
) {
  let done = 0;
  return (crew: Crew) => {
    const due = Math.floor((crew.outcomes.size * (kills + 1)) / events);
    if (due <= done || done >= kills) return;
    done += 1;
    const place = Math.floor(random() * processes);
    print(`kill ${done} of ${kills} after ${crew.outcomes.size} answers: place ${place}`);
    crew.kill(place);
  };
}
