import { expect } from "chai";
import type { Db } from "mongodb";
import type { SnapshotDoc } from "../../../../store/mongo/host/snapshots.ts";
import type { Job, Outcome } from "./messages.ts";
import { nextValue, type RecordDoc, recordsIn } from "./tally.ts";

/**
 * Checks the stores against the answers: each accepted event is in the log once and each refused one never, each version was
 * written by one commit, and each snapshot equals its log replayed in order of versions.
 */
export async function auditTallies(db: Db, jobs: Job[], outcomes: Map<string, Outcome>) {
  const records = await recordsIn(db).find().sort({ actor: 1, version: 1, seq: 1 }).toArray();
  const snapshots = await db.collection<SnapshotDoc>("snapshots").find({ machine: "tally" }).toArray();
  auditAnswers(records, jobs, outcomes);
  const byActor = groupBy(records, (record) => record.actor);
  for (const doc of snapshots) auditActor(doc, byActor.get(doc._id.slice("tally:".length)) ?? []);
  expect(byActor.size, "actors that have a log").most(snapshots.length);
  return { accepted: records.length, commits: new Set(records.map((record) => record.commit)).size };
}

function auditAnswers(records: RecordDoc[], jobs: Job[], outcomes: Map<string, Outcome>): void {
  const recorded = new Map(records.map((record) => [record.op, record]));
  expect(recorded.size, "events that were applied twice").equal(records.length);
  for (const { op, actor, amount } of jobs) {
    const outcome = outcomes.get(op);
    const record = recorded.get(op);
    if (outcome?.kind === "accepted") {
      const { seq, value } = outcome;
      expect(record, `the acknowledged event ${op}`).include({ actor, amount, seq, value });
    } else {
      expect(outcome?.kind, `the answer to ${op}`).equal("refused");
      expect(record, `the refused event ${op}`).equal(undefined);
    }
  }
}

function auditActor(doc: SnapshotDoc, log: RecordDoc[]): void {
  const versions = groupBy(log, (record) => record.version);
  for (const [version, rows] of versions) {
    const winners = new Set(rows.map((row) => row.commit));
    expect(winners.size, `commits that won version ${version} of ${doc._id}`).equal(1);
  }
  // If all of an actor's first events were refused, a separate commit created it.
  expect(doc.version - versions.size, `versions of ${doc._id} without a log`).within(0, 1);
  let value = 1;
  for (const [i, row] of log.entries()) {
    value = nextValue(value, row.amount);
    expect(row, `step ${i + 1} of ${doc._id}`).include({ seq: i + 1, value });
  }
  expect(doc.snapshot).deep.equal({ value: "open", context: { seq: log.length, value } });
}

function groupBy<Row, Key>(rows: Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}
