import { Counter, Histogram } from "prom-client";
import { openCore } from "../open-core.ts";
import { serveApi } from "../serve-api.ts";
import { runWorker } from "../worker.ts";

runWorker("api", async (parts) => {
  const { config, lifecycle, metrics, socketFolder, absent } = parts;
  const { core, refused } = await openCore(parts);
  const answered = new Histogram({
    name: "livecore_http_request_seconds",
    help: "Time from a request's head to its answer, by operation and class of status.",
    labelNames: ["operation", "status"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [metrics],
  });
  const cachedReads = new Counter({
    name: "livecore_http_cached_reads_total",
    help: "Reads without credentials of operations whose answers are kept: from there (hit), with somebody else's (shared), made (miss).",
    labelNames: ["operation", "result"],
    registers: [metrics],
  });
  await lifecycle.start(
    "http",
    () =>
      serveApi({
        core,
        config,
        socketFolder,
        isComplete: () => absent().length === 0,
        onAnswered: ({ operationId, status, ms }) =>
          answered.observe(
            { operation: operationId ?? "none", status: `${Math.floor(status / 100)}xx` },
            ms / 1_000,
          ),
        onCachedRead: ({ operationId, lookup }) =>
          cachedReads.inc({ operation: operationId, result: lookup }),
        onRefused: ({ operationId, code }) => refused("rest", operationId ?? "none", code),
      }),
    (server) => server.drain(),
    { deadlineMs: 8_000 },
  );
});
