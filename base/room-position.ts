/** A position in a room's log. Compare epochs for equality; by size only within one log or the archive. */
export type Position = { epoch: number; seq: number };

const CURSOR = /^(\d{1,15}):(\d{1,15})$/;

/** Parses a client's cursor `<epoch>:<seq>`; null for any other format. */
export function parseCursor(cursor: string): Position | null {
  const match = CURSOR.exec(cursor);
  return match ? { epoch: Number(match[1]), seq: Number(match[2]) } : null;
}

export function cursorOf(position: Position): string {
  return `${position.epoch}:${position.seq}`;
}

const STREAM_ID = /^(\d+)-(\d+)$/;

/** The id of the log's stream entry: `<epoch>-<seq>`. */
export function streamIdOf({ epoch, seq }: Position): string {
  return `${epoch}-${seq}`;
}

/** Null for anything that isn't a stream entry's id, such as a missing field. */
export function positionOfId(id: string | null | undefined): Position | null {
  const match = STREAM_ID.exec(id ?? "");
  return match ? { epoch: Number(match[1]), seq: Number(match[2]) } : null;
}

/** Only within one log, or the archive: epochs of positions from elsewhere don't tell which is newer. */
export function isBefore(a: Position, b: Position): boolean {
  return a.epoch === b.epoch ? a.seq < b.seq : a.epoch < b.epoch;
}

/** Compares ids of stream entries, as numbers and not as text. */
export function isIdBefore(a: string, b: string): boolean {
  const [first, second] = [positionOfId(a), positionOfId(b)];
  if (!first || !second) throw new TypeError(`"${first ? b : a}" is no id of a stream's entry.`);
  return isBefore(first, second);
}

/** Whether `a` is at or before `b`; false for null. */
export function isUpTo(a: Position, b: Position | null): boolean {
  return b !== null && !isBefore(b, a);
}
