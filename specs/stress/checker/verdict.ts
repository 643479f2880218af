import { expect } from "chai";
import { isBefore, type Position } from "../../../store/room-position.ts";
import type { ClientTrace, Flaw } from "./client-trace.ts";
import type { RoomRecord } from "./room-record.ts";

export type Verdict = {
  clients: number;
  /** Events that all clients were shown, together. */
  shown: number;
  acknowledged: number;
  /** Acknowledged messages that a client should have been shown and wasn't, and jumped numbers. */
  missing: number;
  doubled: number;
  disordered: number;
  /** New beginnings without a word. */
  silent: number;
  conflicts: number;
  /** Times that a client was told that something may be missing. */
  toldGaps: number;
  /** Acknowledged messages that were not shown to a client, which was told so. */
  toldMissing: number;
  /** Acknowledged messages that history doesn't have, and messages that it has twice or out of order. */
  lost: number;
  badHistory: number;
  /** Some of what is wrong, in words. */
  examples: string[];
};

export type Watched = {
  record: RoomRecord;
  traces: readonly ClientTrace[];
  /** Uuids, oldest first. */
  history: readonly string[];
};

const EXAMPLES = 8;

/** Holds what each client was shown against what was acknowledged, and history against both. */
export function judge(rooms: readonly Watched[]): Verdict {
  const verdict: Verdict = {
    ...{ clients: 0, shown: 0, acknowledged: 0, missing: 0, doubled: 0, disordered: 0, silent: 0 },
    ...{ conflicts: 0, toldGaps: 0, toldMissing: 0, lost: 0, badHistory: 0, examples: [] },
  };
  for (const room of rooms) judgeRoom(room, verdict);
  return verdict;
}

/** Nothing missing, doubled, out of order or silent. `mayLose`: the store itself has forgotten acknowledged messages. */
export function expectFlawless(verdict: Verdict, { mayLose = false } = {}): void {
  const { missing, doubled, disordered, silent, conflicts, badHistory, lost, examples } = verdict;
  const found = { missing, doubled, disordered, silent, conflicts, badHistory, lost: mayLose ? 0 : lost };
  const none = { missing: 0, doubled: 0, disordered: 0, silent: 0, conflicts: 0, badHistory: 0, lost: 0 };
  expect(found, examples.join("; ")).deep.equal(none);
}

function judgeRoom({ record, traces, history }: Watched, verdict: Verdict): void {
  const note = (what: string) => {
    if (verdict.examples.length < EXAMPLES) verdict.examples.push(`${record.streamId.slice(-6)}: ${what}`);
  };
  const stored = new Set(history);
  verdict.clients += traces.length;
  verdict.acknowledged += record.acknowledged.size;
  verdict.conflicts += record.conflicts.length;
  verdict.badHistory += history.length - stored.size + disorder(history, record);
  record.conflicts.forEach(note);
  for (const uuid of record.acknowledged) {
    if (stored.has(uuid)) continue;
    verdict.lost += 1;
    note(`history lacks ${uuid}`);
  }
  const places = placesOf(history, record);
  for (const trace of traces) judgeSight(trace, { record, stored, places }, verdict, note);
}

/**
 * Where messages stand: as they were shown, or, of one that nobody was shown, behind the one before it in history, if
 * nothing else stands there. Redis may forget a message that the archive had read and no worker had.
 */
function placesOf(history: readonly string[], record: RoomRecord): ReadonlyMap<string, Position> {
  const places = new Map(record.places);
  let before: Position | undefined;
  for (const uuid of history) {
    const next = before && { epoch: before.epoch, seq: before.seq + 1 };
    if (!places.has(uuid) && next && !record.isShown(next)) places.set(uuid, next);
    before = places.get(uuid);
  }
  return places;
}

/** Neighbours in history that were shown the other way round. */
function disorder(history: readonly string[], { places }: RoomRecord): number {
  const known = history.flatMap((uuid) => places.get(uuid) ?? []);
  return known.filter((place, i) => i > 0 && !isBefore(known[i - 1] ?? place, place)).length;
}

function judgeSight(
  trace: ClientTrace,
  room: { record: RoomRecord; stored: ReadonlySet<string>; places: ReadonlyMap<string, Position> },
  verdict: Verdict,
  note: (what: string) => void,
): void {
  verdict.shown += trace.events;
  verdict.toldGaps += trace.stretches.filter(({ isToldGap }) => isToldGap).length;
  const sum: Record<Flaw["kind"], number> = { missing: 0, doubled: 0, disordered: 0, silent: 0 };
  for (const { kind, count, what } of trace.flaws) {
    sum[kind] += count;
    note(`${kind}: ${what}`);
  }
  for (const kind of ["missing", "doubled", "disordered", "silent"] as const) verdict[kind] += sum[kind];
  for (const uuid of room.record.acknowledged) {
    const place = room.places.get(uuid);
    const standing = standingOf(trace, place);
    if (standing === "told") verdict.toldMissing += 1;
    if (standing !== "missing") continue;
    // What the store forgot together with its epoch is lost for everybody, and counted as that.
    if (!room.stored.has(uuid) && place?.epoch !== trace.last?.epoch) continue;
    verdict.missing += 1;
    note(`a client was never shown ${place ? `${place.epoch}:${place.seq}` : uuid}`);
  }
}

function standingOf(
  trace: ClientTrace,
  place: Position | undefined,
): "shown" | "before" | "told" | "missing" {
  if (!place) return "missing";
  if (trace.has(place)) return "shown";
  const [first] = trace.stretches;
  if (!first) return "missing";
  if (!isBefore({ epoch: first.epoch, seq: first.after }, place)) return "before";
  const next = trace.stretches.find(({ epoch, after }) => !isBefore({ epoch, seq: after }, place));
  return next?.isToldGap ? "told" : "missing";
}
