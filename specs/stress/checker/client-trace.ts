import type { Position } from "../../../base/room-position.ts";
import type { ServerMessage } from "../../../contract/frames.ts";
import { hasFields } from "../parent.ts";

/** A gapless range: all events of `epoch` after `after`, up to `upTo`. */
type Stretch = {
  epoch: number;
  after: number;
  upTo: number;
  /** A gap before it was announced to the client: events may be missing there. */
  isGapAnnounced: boolean;
};

/** `missing`: sequence numbers skipped without notice; `silent`: a restart without notice. */
export type Flaw = { kind: "missing" | "doubled" | "disordered" | "silent"; count: number; what: string };

/**
 * Checks what one client receives of one room, from the messages alone, as strictly as the contract allows:
 * 1. within a stretch, sequence numbers grow by one;
 * 2. a recovered subscription continues the stretch; any other starts a new one and says so;
 * 3. `room.epoch` starts a stretch at 1, or anywhere when it says that events may be missing.
 */
export class ClientTrace {
  readonly stretches: Stretch[] = [];
  readonly flaws: Flaw[] = [];
  events = 0;
  #mayJump = false;

  get last(): Stretch | null {
    return this.stretches.at(-1) ?? null;
  }

  /** Returns the position of an event; null for any other message. */
  receive({ type, seq, data }: ServerMessage): Position | null {
    if (type === "subscribed") this.#subscribed(data);
    else if (type === "room.epoch") this.#entered(data);
    else if (seq !== undefined) return this.#saw(seq);
    return null;
  }

  /** Whether the event at that position was received. */
  has({ epoch, seq }: Position): boolean {
    return this.stretches.some((one) => one.epoch === epoch && one.after < seq && seq <= one.upTo);
  }

  #subscribed(data: unknown): void {
    if (!isPlace(data) || !hasFields(data, "recovered")) throw new Error("`subscribed` without a place");
    const { epoch, seq, recovered } = data;
    const isFirst = this.stretches.length === 0;
    if (recovered === true) {
      if (isFirst) this.#flaw("silent", 1, "resumed what had not begun");
      return;
    }
    if (recovered === null && !isFirst) this.#flaw("silent", 1, `began anew at ${epoch}:${seq}`);
    this.#begin({ epoch, after: seq, upTo: seq, isGapAnnounced: recovered === false });
    this.#mayJump = false;
  }

  #entered(data: unknown): void {
    if (!hasFields(data, "epoch", "continuous")) throw new Error("`room.epoch` without an epoch");
    const { last } = this;
    const epoch = Number(data.epoch);
    if (last && epoch < last.epoch) this.#flaw("disordered", 1, `epoch ${epoch} after ${last.epoch}`);
    this.#mayJump = data.continuous !== true;
    this.#begin({ epoch, after: 0, upTo: 0, isGapAnnounced: this.#mayJump });
  }

  #saw(seq: number): Position {
    this.events += 1;
    const { last } = this;
    if (!last) throw new Error(`event ${seq} came before any subscription`);
    const place = { epoch: last.epoch, seq };
    if (this.has(place)) this.#flaw("doubled", 1, `${last.epoch}:${seq} again`);
    else if (this.#mayJump) Object.assign(last, { after: seq - 1, upTo: seq });
    else if (seq === last.upTo + 1) last.upTo = seq;
    else if (seq <= last.upTo) this.#flaw("disordered", 1, `${last.epoch}:${seq} after ${last.upTo}`);
    else {
      this.#flaw("missing", seq - last.upTo - 1, `${last.epoch}:${seq} after ${last.upTo}`);
      this.#begin({ epoch: last.epoch, after: seq - 1, upTo: seq, isGapAnnounced: false });
    }
    this.#mayJump = false;
    return place;
  }

  #begin(stretch: Stretch): void {
    this.stretches.push(stretch);
  }

  #flaw(kind: Flaw["kind"], count: number, what: string): void {
    this.flaws.push({ kind, count, what });
  }
}

export function isPlace(data: unknown): data is Position {
  return hasFields(data, "epoch", "seq") && typeof data.epoch === "number" && typeof data.seq === "number";
}
