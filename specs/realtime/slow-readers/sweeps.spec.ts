import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { Connection } from "../../../realtime/gateway/connection.ts";
import { createSockets } from "../../../realtime/gateway/sockets.ts";
import { defaultLimits } from "../../../realtime/gateway/types.ts";

const FOR_MS = 400;
const SWEEPS_APART_MS = 50;
const TICK_MS = 250;

/** Counts how often a sweep looks at it. */
class Looked extends Connection {
  looks = 0;

  constructor() {
    super(null, "192.0.2.1", { channel: null, after: null }, { release: () => undefined });
  }

  override get backlog(): number {
    this.looks++;
    return 0;
  }
}

describe("looking for slow readers", () => {
  it("comes early when much is published, and not with every 256 KiB of it", async () => {
    const sockets = createSockets(defaultLimits);
    const socket = new Looked();
    sockets.add(socket);
    try {
      const until = performance.now() + FOR_MS;
      const startedAt = performance.now();
      while (performance.now() < until) {
        sockets.published(300 * 1024);
        await turn();
      }
      const took = performance.now() - startedAt;

      expect(socket.looks).within(2, 1 + took / SWEEPS_APART_MS + took / TICK_MS);
    } finally {
      sockets.stop();
    }
  });
});
