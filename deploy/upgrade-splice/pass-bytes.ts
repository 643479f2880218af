import type { Duplex } from "node:stream";
import { cutOff, endSoon } from "./answer.ts";

/** Two connections between which bytes pass. */
export type Passage = {
  /** Ends both when bytes have waited for a side that took none of them for `stalledMs`. Call it now and then. */
  endIfStalled(now: number, stalledMs: number): void;
};

/**
 * Passes bytes both ways at the pace of the slower side, so that a reader that stops fills no memory here. That pause
 * also hides the other side's end, which is why a stalled side must be ended by a clock.
 */
export function passBytes(client: Duplex, upstream: Duplex): Passage {
  const sides = [client, upstream].map((to) => ({ to, fullSince: null as number | null }));
  for (const side of sides) {
    // A stream needs a drain from the moment its buffer is full until all of it has left.
    side.to.on("drain", () => {
      side.fullSince = null;
    });
  }
  upstream.on("error", () => undefined); // "close" follows
  upstream.once("close", () => endSoon(client));
  client.once("close", () => upstream.destroy());
  client.pipe(upstream);
  upstream.pipe(client);

  return {
    endIfStalled(now, stalledMs) {
      for (const side of sides) {
        if (!side.to.writableNeedDrain) side.fullSince = null;
        else side.fullSince ??= now;
        if (side.fullSince === null || now - side.fullSince < stalledMs) continue;
        cutOff(client);
        upstream.destroy();
      }
    },
  };
}
