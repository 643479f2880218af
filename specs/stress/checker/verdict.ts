import { expect } from "chai";
import { isBefore, type Position } from "../../../base/room-position.ts";
import type { ClientTrace, Flaw } from "./client-trace.ts";
import type { RoomRecord } from "./room-record.ts";

export type Verdict = {
  clients: number;
  /** Number of events that all clients together received. */
  shown: number;
  acknowledged: number;
  /** Acknowledged messages that a client should have received and didn't, and skipped sequence numbers. */
  missing: number;
  doubled: number;
  disordered: number;
  /** Restarts without notice. */
  silent: number;
  conflicts: number;
  /** Texts in several messages of which the store keeps one: the others were lost before they were acknowledged, and sent again. */
  sentAgain: number;
  /** How often a gap was announced to a client: that events may be missing. */
  announcedGaps: number;
  /** Acknowledged messages that a client didn't receive, in gaps that were announced to it. */
  announcedMissing: number;
  /** `lost`: acknowledged messages that aren't in history. `badHistory`: messages that are in it twice or out of order. */
  lost: number;
  badHistory: number;
  /** Some of the flaws, in words. */
  examples: string[];
};

type Watched = {
  record: RoomRecord;
  traces: readonly ClientTrace[];
  /** Uuids, oldest first. */
  history: readonly string[];
};

const EXAMPLES = 8;

/** Compares what each client received with what was acknowledged, and history with both. */
export function judge(rooms: readonly Watched[]): Verdict {
  const verdict: Verdict = {
    clients: 0,
    shown: 0,
    acknowledged: 0,
    missing: 0,
    doubled: 0,
    disordered: 0,
    silent: 0,
    conflicts: 0,
    sentAgain: 0,
    announcedGaps: 0,
    announcedMissing: 0,
    lost: 0,
    badHistory: 0,
    examples: [],
  };
  for (const room of rooms) judgeRoom(room, verdict);
  return verdict;
}

/** Expects nothing missing, duplicated, out of order or silent. `mayLose`: the store itself has lost acknowledged messages. */
export function expectFlawless(verdict: Verdict, { mayLose = false } = {}): void {
  const { missing, doubled, disordered, silent, conflicts, badHistory, examples } = verdict;
  const { lost, sentAgain } = mayLose ? { lost: 0, sentAgain: 0 } : verdict;
  const found = { missing, doubled, disordered, silent, conflicts, badHistory, lost, sentAgain };
  const none = Object.fromEntries(Object.keys(found).map((flaw) => [flaw, 0]));
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
  for (const [text, uuids] of record.texts) {
    if (uuids.length === 1) continue;
    const counted = uuids.filter((uuid) => stored.has(uuid) || record.acknowledged.has(uuid));
    verdict[counted.length > 1 ? "conflicts" : "sentAgain"] += 1;
    note(`"${text}" in ${uuids.join(" and ")}`);
  }
  for (const uuid of record.acknowledged) {
    if (stored.has(uuid)) continue;
    verdict.lost += 1;
    note(`history lacks ${uuid}`);
  }
  const places = placesOf(history, record);
  for (const trace of traces) judgeSight(trace, { record, stored, places }, verdict, note);
}

/**
 * Positions of messages: as received, or, for a message that no client received, after its predecessor in history, if no other
 * event is there. Redis may lose a message that the archive has read but no worker has.
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

/** Adjacent messages in history that clients received in the opposite order. */
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
  verdict.announcedGaps += trace.stretches.filter(({ isGapAnnounced }) => isGapAnnounced).length;
  const sum: Record<Flaw["kind"], number> = { missing: 0, doubled: 0, disordered: 0, silent: 0 };
  for (const { kind, count, what } of trace.flaws) {
    sum[kind] += count;
    note(`${kind}: ${what}`);
  }
  for (const kind of ["missing", "doubled", "disordered", "silent"] as const) verdict[kind] += sum[kind];
  for (const uuid of room.record.acknowledged) {
    const place = room.places.get(uuid);
    const standing = standingOf(trace, place);
    if (standing === "announced") verdict.announcedMissing += 1;
    if (standing !== "missing") continue;
    // Messages that the store lost together with its epoch are lost for everybody, and counted as `lost`.
    if (!room.stored.has(uuid) && place?.epoch !== trace.last?.epoch) continue;
    verdict.missing += 1;
    note(`a client was never shown ${place ? `${place.epoch}:${place.seq}` : uuid}`);
  }
}

function standingOf(
  trace: ClientTrace,
  place: Position | undefined,
): "shown" | "before" | "announced" | "missing" {
  if (!place) return "missing";
  if (trace.has(place)) return "shown";
  const [first] = trace.stretches;
  if (!first) return "missing";
  if (!isBefore({ epoch: first.epoch, seq: first.after }, place)) return "before";
  const next = trace.stretches.find(({ epoch, after }) => !isBefore({ epoch, seq: after }, place));
  return next?.isGapAnnounced ? "announced" : "missing";
}
