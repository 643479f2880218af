import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { Connection } from "../../../realtime/gateway/socket/connection.ts";
import { sendBufferLimits } from "../../../realtime/gateway/socket/send-buffer.ts";
import { createSlowReaders } from "../../../realtime/gateway/socket/slow-readers.ts";

const FOR_MS = 400;
const buffer = sendBufferLimits(512 * 1024);

/** Counts how often a sweep looks at it. */
class Looked extends Connection {
  looks = 0;

  constructor() {
    super({
      holder: null,
      ip: "192.0.2.1",
      purpose: { channel: null, after: null },
      buffer,
      slot: { release: () => undefined },
    });
  }

  override get backlog(): number {
    this.looks++;
    return 0;
  }
}

describe("looking for slow readers", () => {
  it("comes early when much is published, and not with every 256 KiB of it", async () => {
    const socket = new Looked();
    const slowReaders = createSlowReaders({ all: [socket], buffer, stalledMs: 15_000 });
    try {
      const until = performance.now() + FOR_MS;
      const startedAt = performance.now();
      while (performance.now() < until) {
        slowReaders.published(300 * 1024);
        await turn();
      }
      const took = performance.now() - startedAt;

      expect(socket.looks).within(2, 1 + took / buffer.sweepsApartMs + took / buffer.sweepMs);
    } finally {
      slowReaders.stop();
    }
  });
});
