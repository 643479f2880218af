import type { ServerMessage } from "./messages.ts";

/** A client's position in a topic's log: the epoch and the last sequence number seen of it. */
export class LogPosition {
  #at: { epoch: number; seq: number } | null;

  /** `after` is "<epoch>:<seq>", or nothing to start with new events. */
  constructor(after = "") {
    const [epoch, seq] = after.split(":").map(Number);
    this.#at = epoch !== undefined && seq !== undefined ? { epoch, seq } : null;
  }

  /** The cursor "<epoch>:<seq>"; null before the first subscription, and on topics without a log. */
  get cursor(): string | null {
    return this.#at ? `${this.#at.epoch}:${this.#at.seq}` : null;
  }

  /** Call it with each message of this topic, in order. */
  see(message: ServerMessage): void {
    if (this.#at && "seq" in message && message.seq !== undefined) {
      this.#at = { epoch: this.#at.epoch, seq: message.seq };
    } else if (message.type === "subscribed") {
      const { epoch, seq, recovered } = message.data;
      // When recovered, the following events continue from this client's position.
      if (recovered !== true) this.#at = epoch === null || seq === null ? null : { epoch, seq };
    } else if (message.type === "room.epoch") {
      const { epoch } = message.data;
      // A gap within the same epoch leaves the position as it is: from the epoch's start, everything would be replayed
      // again.
      if (this.#at?.epoch !== epoch) this.#at = { epoch, seq: 0 };
    }
  }
}
