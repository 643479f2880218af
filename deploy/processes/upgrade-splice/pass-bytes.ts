import type { Duplex } from "node:stream";
import { closeGracefully, resetConnection } from "./answer.ts";

/** Two connections that are piped into each other. */
export type Passage = {
  /** Cuts both when a side with pending bytes has taken none for `stalledMs`. Call it regularly. */
  endIfStalled(now: number, stalledMs: number): void;
};

/**
 * Pipes bytes both ways with back-pressure, so that a reader that stops doesn't fill memory here. Back-pressure also hides the
 * other side's end, which is why a stalled side must be cut by a timer.
 */
export function pipeBoth(client: Duplex, upstream: Duplex): Passage {
  const sides = [client, upstream].map((to) => ({ to, fullSince: null as number | null }));
  for (const side of sides) {
    // `writableNeedDrain` is true from the moment the buffer is full until it is empty again.
    side.to.on("drain", () => {
      side.fullSince = null;
    });
  }
  upstream.on("error", () => undefined); // "close" follows
  upstream.once("close", () => closeGracefully(client));
  client.once("close", () => upstream.destroy());
  client.pipe(upstream);
  upstream.pipe(client);

  return {
    endIfStalled(now, stalledMs) {
      for (const side of sides) {
        if (!side.to.writableNeedDrain) side.fullSince = null;
        else side.fullSince ??= now;
        if (side.fullSince === null || now - side.fullSince < stalledMs) continue;
        resetConnection(client);
        upstream.destroy();
      }
    },
  };
}
