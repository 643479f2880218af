import { expect } from "chai";
import type { Db } from "mongodb";
import { pathOf } from "../../../actors/host/snapshot-codec.ts";
import type { HistoryDoc } from "../../../store/mongo/host/history.ts";
import type { SnapshotDoc } from "../../../store/mongo/host/snapshots.ts";
import type { TimerDoc } from "../../../store/mongo/host/timers.ts";
import { historiesIn } from "./histories.ts";
import { subjectOf } from "./subjects.ts";

/**
 * Checks that the stored parts of these actors, or of all, agree: snapshot, history, document and timers. Returns the number
 * of actors.
 * Call it when no work is in progress and all due timers have fired.
 */
export async function expectAgreement(db: Db, actors?: string[]): Promise<number> {
  const [ids, ofActors] = actors ? [{ _id: { $in: actors } }, { actor: { $in: actors } }] : [{}, {}];
  const snapshots = await db.collection<SnapshotDoc>("snapshots").find(ids).toArray();
  const timers = await db.collection<TimerDoc>("timers").find(ofActors).toArray();
  const histories = await historiesIn(db, actors);
  for (const snapshot of snapshots) {
    const { machine } = snapshot;
    const subject = subjectOf(machine);
    const actor = { id: snapshot._id.slice(machine.length + 1), ...stateOf(snapshot) };
    expectChain(snapshot, actor.path, histories.get(snapshot._id) ?? []);
    const own = timers.filter((timer) => timer.actor === snapshot._id);
    expectTimers(`${machine} ${actor.path}`, own, subject.timers[actor.path] ?? []);
    await subject.agrees(db, actor);
  }
  const known = new Set(snapshots.map((snapshot) => snapshot._id));
  const orphans = timers.filter((timer) => !known.has(timer.actor));
  expect(orphans, "timers of actors that aren't there").deep.equal([]);
  return snapshots.length;
}

/** Checks that no outbox row is pending or parked, and that no timer is leased by a process that is gone. */
export async function expectNothingLeftOver(db: Db): Promise<void> {
  expect(await db.collection("outbox").find().toArray(), "rows that nobody published").deep.equal([]);
  expect(
    await db
      .collection("timers")
      .find({ leasedBy: { $ne: null } })
      .toArray(),
    "leases",
  ).deep.equal([]);
}

type Stored = { value: Parameters<typeof pathOf>[0]; context: Record<string, unknown> };

function isStored(snapshot: unknown): snapshot is Stored {
  return typeof snapshot === "object" && snapshot !== null && "value" in snapshot && "context" in snapshot;
}

function stateOf({ _id, snapshot }: SnapshotDoc) {
  if (!isStored(snapshot)) throw new Error(`${_id} is no snapshot`);
  const path = pathOf(snapshot.value);
  return { path, status: path.split(".")[0] ?? path, context: snapshot.context };
}

function expectChain({ _id, version }: SnapshotDoc, path: string, history: HistoryDoc[]): void {
  const went = history.map(({ from, to }) => [from, to]);
  const chained = history.map(({ to }, i) => [history[i - 1]?.to ?? null, to]);
  expect(went, `the history of ${_id}`).deep.equal(chained);
  expect(history.at(-1)?.to, `the last state of ${_id}`).equal(path);
  expect(history.at(-1)?.version ?? 0, `versions of ${_id}`).at.most(version);
}

function expectTimers(state: string, own: TimerDoc[], wanted: readonly string[]): void {
  const names = own.map((timer) => timer.timerId);
  expect(own.length, `timers in ${state}: ${names}`).equal(wanted.length);
  for (const end of wanted) {
    expect(
      names.some((name) => name.endsWith(end)),
      `a timer ${end} among ${names}`,
    ).equal(true);
  }
}
