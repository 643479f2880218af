import { strength } from "../../../actors/accounts/passwords/strength/strength.ts";
import { HTTP_METRICS, SLOT_METRICS } from "../../../api/http/metrics.ts";
import { createRequestSlots } from "../../../api/http/request-slots.ts";
import { MAX_WAIT_MS } from "../../../base/controlled-delay.ts";
import { openCore } from "./open-core.ts";
import { serveApi } from "./serve-api.ts";
import { servingOf } from "./serving.ts";
import { runWorker } from "./worker.ts";

runWorker("api", async (parts) => {
  const { config, log, lifecycle, meter, socketFolder, absent, stores, development } = parts;
  const { core, refusals } = await openCore({ ...parts, poolWaitMs: MAX_WAIT_MS });
  const metrics = meter.record(HTTP_METRICS);
  const slots = createRequestSlots({
    slots: config.apiConcurrency,
    log,
    onRefused: (kind) => metrics.shed(1, { slots: kind }),
  });
  meter.read(SLOT_METRICS, slots.readings);
  // Loading its dictionaries takes a while on a busy machine, and the first registrations would wait for it.
  strength.start();
  await lifecycle.start(
    "http",
    () =>
      serveApi({
        core,
        config,
        socketFolder,
        development,
        slots,
        isComplete: () => absent().length === 0,
        serving: () => servingOf(stores(), absent()),
        onAnswered: ({ operationId, status, ms }) =>
          metrics.answered(ms / 1_000, {
            operation: operationId ?? "none",
            status: `${Math.floor(status / 100)}xx`,
          }),
        onCachedRead: ({ operationId, lookup }) =>
          metrics.cachedReads(1, { operation: operationId, result: lookup }),
        onRefused: ({ operationId, code }) =>
          refusals(1, { component: "rest", operation: operationId ?? "none", code }),
      }),
    (server) => server.drain(),
    { deadlineMs: 8_000 },
  );
});
