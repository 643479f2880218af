import { collectDefaultMetrics, Registry } from "prom-client";

/** The metrics registry of one process, with Node's default metrics. Each series is labelled with the kind of process. */
export function processRegistry(worker: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ worker });
  collectDefaultMetrics({ register: registry });
  return registry;
}
