import type { Position } from "../../../base/room-position.ts";
import type { ChatMessage } from "../../../contract/wire.ts";
import { isChatMessage, messageIn, type RoomEvent, withoutText } from "../../rooms/event.ts";

const MAX_EVENTS = 256;
const MAX_BYTES = 256 * 1024;
/** Total bytes of all rings of this process; beyond it a ring is limited to MAX_BYTES_OVER_BUDGET. */
const BUDGET_BYTES = 64 * 1024 * 1024;
const MAX_BYTES_OVER_BUDGET = 16 * 1024;

let totalBytes = 0;

/** The last events of one room and epoch, without a gap. Bounded by count, by bytes, and by a budget over all rooms. */
export class Ring {
  private events: RoomEvent[] = [];
  private bytes = 0;

  push(event: RoomEvent): void {
    this.events.push(copyOf(event));
    this.add(event.payload.length);
    const most = totalBytes > BUDGET_BYTES ? MAX_BYTES_OVER_BUDGET : MAX_BYTES;
    while (this.events.length > MAX_EVENTS || (this.bytes > most && this.events.length > 1)) {
      this.add(-(this.events.shift()?.payload.length ?? 0));
    }
  }

  /** Prepends the events that directly precede its own, as many as fit; `head` is the position of the room's last event. */
  extendBack(older: readonly RoomEvent[], head: Position): void {
    const before = this.events[0]?.seq ?? head.seq + 1;
    const last = older.findLastIndex(({ epoch, seq }) => epoch === head.epoch && seq === before - 1);
    let from = last + 1;
    let bytes = this.bytes;
    while (from > 0 && this.events.length + last + 1 - from < MAX_EVENTS) {
      const event = older[from - 1];
      const isBefore = event?.epoch === head.epoch && event.seq === before - 1 - (last + 1 - from);
      if (!event || !isBefore || bytes + event.payload.length > MAX_BYTES || totalBytes > BUDGET_BYTES) break;
      bytes += event.payload.length;
      from--;
    }
    this.events.unshift(...older.slice(from, last + 1).map(copyOf));
    this.add(bytes - this.bytes);
  }

  clear(): void {
    this.add(-this.bytes);
    this.events = [];
  }

  /** The events after a position of the ring's epoch; null when the ring doesn't reach back to it. */
  after(position: Position, head: Position): RoomEvent[] | null {
    if (position.epoch !== head.epoch || position.seq > head.seq) return null;
    if (position.seq === head.seq) return [];
    const [first] = this.events;
    if (!first || first.epoch !== head.epoch || first.seq > position.seq + 1) return null;
    return this.events.slice(position.seq + 1 - first.seq);
  }

  /** Removes the text of the chat messages that match. */
  redact(matches: (message: ChatMessage) => boolean): void {
    this.events = this.events.map((event) => {
      if (!isChatMessage(event) || !matches(messageIn(event))) return event;
      const replaced = copyOf(withoutText(event));
      this.add(replaced.payload.length - event.payload.length);
      return replaced;
    });
  }

  private add(bytes: number): void {
    this.bytes += bytes;
    totalBytes += bytes;
  }
}

/**
 * Copies an event into memory of its own: a payload as read is a slice of everything that was read with it, which would
 * stay in memory as long as any slice of it does.
 */
function copyOf({ epoch, seq, payload }: RoomEvent): RoomEvent {
  const own = Buffer.allocUnsafeSlow(payload.length);
  payload.copy(own);
  return { epoch, seq, payload: own };
}
