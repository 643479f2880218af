import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { WorkerCount } from "./supervisor.ts";

/** What the primary itself knows: its own process, and how its workers do. */
export function primaryMetrics(counts: () => WorkerCount[]): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ worker: "primary" });
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, value: (count: WorkerCount) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["kind"],
      registers: [registry],
      collect() {
        for (const count of counts()) this.set({ kind: count.kind }, value(count));
      },
    });
  gauge("livecore_workers_ready", "Workers that serve right now.", (count) => count.ready);
  gauge("livecore_worker_restarts", "Workers started anew after a death.", (count) => count.restarts);
  return registry;
}
