import { expect } from "chai";
import type { Db } from "mongodb";
import type { HistoryDoc } from "../../../../store/mongo/host/history.ts";
import type { TimerDoc } from "../../../../store/mongo/host/timers.ts";
import { SUBJECTS } from "../../generated/subjects.ts";
import { BETTING_OVER } from "../../points/prediction/subject.ts";
import type { Fired } from "./jobs-worker.ts";

/**
 * Lateness, ms: for timers that became due during the downtime, from readiness; for the others from their due time. Those due
 * during the catch-up are separate, since overdue ones are ahead of them.
 */
type Lateness = { overdue: number[]; meanwhile: number[]; onTime: number[] };

/**
 * Checks the history against the timers as planned: each that was due by `end` fired once in its actor's history and not early;
 * each of the others didn't fire and still exists; what was locked manually before its time was never locked by its timer.
 */
export async function judge(db: Db, planned: TimerDoc[], end: number): Promise<void> {
  const kinds = SUBJECTS.flatMap(({ waiting = {} }) => Object.values(waiting));
  const events = new Set(kinds.map(({ event }) => event));
  const history = await db
    .collection<HistoryDoc>("history")
    .find({ event: { $in: [...events] } })
    .toArray();
  const betting = new Set(
    planned.filter((timer) => timer.event.type === BETTING_OVER).map((timer) => timer.actor),
  );
  for (const { actor, event } of history) {
    const isWanted = event !== BETTING_OVER || betting.has(actor);
    expect(isWanted, `${actor} locked by a timer of a state that it had left`).equal(true);
  }
  const left = new Set((await db.collection<TimerDoc>("timers").find().toArray()).map((timer) => timer._id));
  for (const timer of planned) {
    const fired = history.filter((row) => row.actor === timer.actor && row.event === timer.event.type);
    const isDue = timer.dueAt.getTime() <= end;
    expect(fired.length, `times that ${timer.timerId} of ${timer.actor} fired`).equal(isDue ? 1 : 0);
    expect(left.has(timer._id), `${timer.timerId} of ${timer.actor} is still there`).equal(!isDue);
    for (const { at } of fired) expect(at.getTime(), `${timer.actor} fired at`).least(timer.dueAt.getTime());
  }
}

/** The lateness of timers that this set of processes fired, by its reports; throws when one fired twice. */
export function latenessOf(planned: TimerDoc[], reports: Fired[], readyAt: number, catchUpMs = 0): Lateness {
  const dueAt = new Map(planned.map((timer) => [timer._id, timer.dueAt.getTime()]));
  const lateness: Lateness = { overdue: [], meanwhile: [], onTime: [] };
  const seen = new Set<string>();
  for (const { timer, at } of reports.filter(({ result }) => result === "fired")) {
    expect(seen.has(timer), `${timer} fired a second time`).equal(false);
    seen.add(timer);
    const due = dueAt.get(timer);
    if (due === undefined) continue; // set since, by a fired timer
    expect(at, "fired at").least(due);
    if (due <= readyAt) lateness.overdue.push(at - readyAt);
    else if (due <= readyAt + catchUpMs) lateness.meanwhile.push(at - due);
    else lateness.onTime.push(at - due);
  }
  return lateness;
}
