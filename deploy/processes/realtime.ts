import { Gauge } from "prom-client";
import { openCore } from "../open-core.ts";
import { serveSockets } from "../serve-sockets.ts";
import { runWorker } from "../worker.ts";

/** Sockets are sent away over this long, so that they don't all come back at once. */
const DRAIN_MS = 2_000;

runWorker("realtime", async ({ config, log, life, metrics }) => {
  const { core } = await openCore({ config, log, life, metrics });
  const gateway = await life.start(
    "sockets",
    () => serveSockets({ core, config }),
    async (served) => {
      await served.drain(DRAIN_MS);
      await served.stop();
    },
    { deadlineMs: DRAIN_MS + 3_000 },
  );
  const gauges = {
    sockets: "open sockets",
    rooms: "rooms with a subscriber here",
    tailLagMs: "ms since the tail was last answered",
  };
  for (const [stat, help] of Object.entries(gauges)) {
    new Gauge({
      name: `livecore_gateway_${stat.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
      help: `Gateway: ${help}.`,
      registers: [metrics],
      collect() {
        const stats: Record<string, unknown> = gateway.stats();
        this.set(Number(stats[stat]));
      },
    });
  }
});
