import { Histogram } from "prom-client";
import { openCore } from "../open-core.ts";
import { serveApi } from "../serve-api.ts";
import { runWorker } from "../worker.ts";

runWorker("api", async ({ config, log, life, metrics }) => {
  const { core } = await openCore({ config, log, life, metrics });
  const answered = new Histogram({
    name: "livecore_http_request_seconds",
    help: "Time from a request's head to its answer, by operation and class of status.",
    labelNames: ["operation", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [metrics],
  });
  await life.start(
    "http",
    () =>
      serveApi({
        core,
        config,
        onAnswered: ({ operationId, status, ms }) =>
          answered.observe(
            { operation: operationId ?? "none", status: `${Math.floor(status / 100)}xx` },
            ms / 1_000,
          ),
      }),
    (server) => server.drain(),
    { deadlineMs: 8_000 },
  );
});
