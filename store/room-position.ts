/** A place in a room's log. Epochs are compared for equality, and by size only inside one log or the archive. */
export type Position = { epoch: number; seq: number };

const CURSOR = /^(\d{1,15}):(\d{1,15})$/;

/** Reads `<epoch>:<seq>`, as clients have it; null when it has another form. */
export function parseCursor(cursor: string): Position | null {
  const match = CURSOR.exec(cursor);
  return match ? { epoch: Number(match[1]), seq: Number(match[2]) } : null;
}

export function cursorOf(position: Position): string {
  return `${position.epoch}:${position.seq}`;
}

const STREAM_ID = /^(\d+)-(\d+)$/;

/** The id of the log's entry: `<epoch>-<seq>`. */
export function streamIdOf({ epoch, seq }: Position): string {
  return `${epoch}-${seq}`;
}

/** Null for what is no id of a stream's entry, such as a field that isn't there. */
export function positionOfId(id: string | null | undefined): Position | null {
  const match = STREAM_ID.exec(id ?? "");
  return match ? { epoch: Number(match[1]), seq: Number(match[2]) } : null;
}

/** In one log, or in the archive. Of positions from elsewhere, the epochs say nothing about which is newer. */
export function isBefore(a: Position, b: Position): boolean {
  return a.epoch === b.epoch ? a.seq < b.seq : a.epoch < b.epoch;
}

/** Whether one id of a stream's entries comes before another; as numbers, not as text. */
export function isIdBefore(a: string, b: string): boolean {
  const [first, second] = [positionOfId(a), positionOfId(b)];
  if (!first || !second) throw new TypeError(`"${first ? b : a}" is no id of a stream's entry.`);
  return isBefore(first, second);
}

/** Up to the other position, that one included; nothing is up to null. */
export function isUpTo(a: Position, b: Position | null): boolean {
  return b !== null && !isBefore(b, a);
}
