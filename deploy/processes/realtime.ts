import { Counter, Gauge } from "prom-client";
import { openCore } from "../open-core.ts";
import { serveSockets } from "../serve-sockets.ts";
import { runWorker } from "../worker.ts";

/** Sockets are sent away over this long at most, so that they don't all come back at once. */
const DRAIN_MS = 5_000;

runWorker("realtime", async (parts) => {
  const { config, lifecycle, metrics, socketFolder } = parts;
  const { core, refused } = await openCore(parts);
  const gateway = await lifecycle.start(
    "sockets",
    () =>
      serveSockets({
        ...{ core, config, socketFolder },
        onRefused: (operation, code) => refused("socket", operation, code),
      }),
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
    paceMs: "ms for which a busy room's events are gathered; grows with the load",
  };
  const counters = {
    ringReplays: "replays that the ring served",
    replayReads: "pages of room logs that were read for replays",
    replayShared: "pages that a replay shared with the one that read them",
    slowReaders: "sockets ended with 4008",
  };
  const nameOf = (stat: string) =>
    `livecore_gateway_${stat.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
  const statOf = (stat: string): number => {
    const stats: Record<string, unknown> = gateway.stats();
    return Number(stats[stat]);
  };
  for (const [stat, help] of Object.entries(gauges)) {
    new Gauge({
      name: nameOf(stat),
      help: `Gateway: ${help}.`,
      registers: [metrics],
      collect() {
        this.set(statOf(stat));
      },
    });
  }
  for (const [stat, help] of Object.entries(counters)) {
    new Counter({
      name: `${nameOf(stat)}_total`,
      help: `Gateway: ${help}.`,
      registers: [metrics],
      collect() {
        this.reset();
        this.inc(statOf(stat));
      },
    });
  }
});
