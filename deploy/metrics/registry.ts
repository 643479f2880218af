import { collectDefaultMetrics, Registry } from "prom-client";

/** The metrics of one process, which begin with those of Node; each series says which kind of process it is of. */
export function processRegistry(worker: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ worker });
  collectDefaultMetrics({ register: registry });
  return registry;
}
