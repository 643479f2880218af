import { GATEWAY_METRICS } from "../../../realtime/gateway/metrics.ts";
import { openCore } from "./open-core.ts";
import { serveSockets } from "./serve-sockets.ts";
import { runWorker } from "./worker.ts";

/** Sockets are closed spread over at most this long, so that clients don't all reconnect at once. */
const DRAIN_MS = 5_000;

runWorker("realtime", async (parts) => {
  const { config, lifecycle, meter, socketFolder, stores } = parts;
  const { core, refusals } = await openCore(parts);
  const gateway = await lifecycle.start(
    "sockets",
    () =>
      serveSockets({
        core,
        config,
        socketFolder,
        isRedisElsewhere: () => stores()?.elsewhere.includes("realtime") ?? false,
        onRefused: (operation, code) => refusals(1, { component: "socket", operation, code }),
      }),
    async (served) => {
      await served.drain(DRAIN_MS);
      await served.stop();
    },
    { deadlineMs: DRAIN_MS + 3_000 },
  );
  meter.read(GATEWAY_METRICS, gateway.stats);
});
