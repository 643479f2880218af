import { expect } from "chai";
import type { ReadTable, RecordedTable } from "../../base/metrics.ts";
import { silentMeter } from "../../base/metrics.ts";
import { prometheusMeter } from "../../deploy/processes/metrics/meter.ts";
import { processRegistry } from "../../deploy/processes/metrics/registry.ts";
import { startInternalServer } from "../../deploy/processes/primary/internal-server.ts";
import { quietLog } from "../support/quiet-log.ts";

const RECORDED = {
  sent: { name: "livecore_spec_sent_total", kind: "counter", help: "Sent.", labels: ["code"] },
  waits: { name: "livecore_spec_wait_seconds", kind: "histogram", help: "Waits.", buckets: [1, 5] },
} as const satisfies RecordedTable;
const READ = {
  open: { name: "livecore_spec_open", kind: "gauge", help: "Open." },
  lag: { name: "livecore_spec_lag_seconds", kind: "gauge", help: "Lag.", workers: "max" },
} as const satisfies ReadTable;

describe("Metrics of several workers", () => {
  const closing: (() => Promise<void>)[] = [];
  after(() => Promise.all(closing.map((close) => close())));

  function worker(kind: string, now: { open: number; lag: number }) {
    const registry = processRegistry(kind);
    const meter = prometheusMeter(registry);
    meter.read(READ, () => now);
    return { ...meter.record(RECORDED), registry };
  }
  type Worker = ReturnType<typeof worker>;

  /** Each series of those that specs have, by its name and labels, as an operator's Prometheus gets it. */
  async function internalPort(workers: Worker[]) {
    const server = await startInternalServer({
      port: 0,
      host: "127.0.0.1",
      log: quietLog(),
      own: processRegistry("primary"),
      checkout: null,
      mailbox: null,
      readiness: async () => ({ ready: true, checks: {} }),
      workers: () => Promise.all(workers.map(({ registry }) => registry.getMetricsAsJSON())),
    });
    closing.push(server.close);
    return async () => {
      const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
      const lines = text.matchAll(/^livecore_spec_(\S+) (\S+)$/gm);
      return Object.fromEntries([...lines].map(([, series, value]) => [series, Number(value)]));
    };
  }

  it("are added up by kind of worker, but for gauges of which the highest counts", async () => {
    const [one, other] = [worker("api", { open: 3, lag: 0.5 }), worker("api", { open: 4, lag: 2 })];
    const jobs = worker("jobs", { open: 10, lag: 1 });
    const read = await internalPort([one, other, jobs]);
    one.sent(2, { code: "ok" });
    other.sent(5, { code: "ok" });
    jobs.sent(1, { code: "ok" });
    one.waits(0.5);
    other.waits(3);

    expect(await read()).include({
      'sent_total{code="ok",worker="api"}': 7,
      'sent_total{code="ok",worker="jobs"}': 1,
      'open{worker="api"}': 7,
      'open{worker="jobs"}': 10,
      'lag_seconds{worker="api"}': 2,
      'lag_seconds{worker="jobs"}': 1,
      'wait_seconds_bucket{le="1",worker="api"}': 1,
      'wait_seconds_bucket{le="5",worker="api"}': 2,
      'wait_seconds_sum{worker="api"}': 3.5,
      'wait_seconds_count{worker="api"}': 2,
    });
  });

  it("lose a dead worker's share, and its successor's begins at 0", async () => {
    const workers = [worker("realtime", { open: 3, lag: 9 }), worker("realtime", { open: 4, lag: 1 })];
    const read = await internalPort(workers);
    for (const { sent } of workers) sent(5, { code: "ok" });
    expect(await read()).include({ 'sent_total{code="ok",worker="realtime"}': 10 });

    workers.shift();
    const left = {
      'sent_total{code="ok",worker="realtime"}': 5,
      'open{worker="realtime"}': 4,
      'lag_seconds{worker="realtime"}': 1,
    };
    expect(await read()).include(left);

    workers.push(worker("realtime", { open: 0, lag: 0 }));
    expect(await read()).include(left);
  });

  it("are registered once a process, whether or not anybody looks at them", () => {
    for (const meter of [prometheusMeter(processRegistry("api")), silentMeter()]) {
      meter.record(RECORDED);
      meter.read(READ, () => ({ open: 0, lag: 0 }));

      expect(() => meter.record(RECORDED)).throw(/already/);
      expect(() => meter.read(READ, () => ({ open: 0, lag: 0 }))).throw(/already/);
    }
  });
});
