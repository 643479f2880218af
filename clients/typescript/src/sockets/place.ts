import type { ServerMessage } from "./messages.ts";

/** Where a client is in a topic's log: the epoch, and the last number that it has seen of it. */
export class Place {
  #at: { epoch: number; seq: number } | null;

  /** `after` is "<epoch>:<seq>", or nothing to begin with what comes. */
  constructor(after = "") {
    const [epoch, seq] = after.split(":").map(Number);
    this.#at = epoch !== undefined && seq !== undefined ? { epoch, seq } : null;
  }

  /** "<epoch>:<seq>"; null before the first subscription, and on topics without a log. */
  get cursor(): string | null {
    return this.#at ? `${this.#at.epoch}:${this.#at.seq}` : null;
  }

  /** Of this topic's messages, each in its order. */
  see(message: ServerMessage): void {
    if (this.#at && "seq" in message && message.seq !== undefined) {
      this.#at = { epoch: this.#at.epoch, seq: message.seq };
    } else if (message.type === "subscribed") {
      const { epoch, seq, recovered } = message.data;
      // When recovered, what follows continues from where this client was.
      if (recovered !== true) this.#at = epoch === null || seq === null ? null : { epoch, seq };
    } else if (message.type === "room.epoch") {
      const { epoch } = message.data;
      // A gap within an epoch leaves the place as it is: from its beginning, everything would come again.
      if (this.#at?.epoch !== epoch) this.#at = { epoch, seq: 0 };
    }
  }
}
