import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Meter, Metric, Recorded, RecordedTable } from "../../../base/metrics.ts";

type Labels = Readonly<Record<string, string>>;
type Value = number | readonly { labels: Labels | null; value: number }[];

/** Creates Prometheus metrics from the parts' tables; no other code does. */
export function prometheusMeter(registry: Registry): Meter {
  const options = ({ name, help, labels = [] }: Metric) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });

  function recorder(metric: RecordedTable[string]): (value: number, labels?: Labels) => void {
    if (metric.kind === "counter") {
      const counter = new Counter(options(metric));
      return (value, labels = {}) => counter.inc(labels, value);
    }
    const histogram = new Histogram({ ...options(metric), buckets: [...metric.buckets] });
    return (value, labels = {}) => histogram.observe(labels, value);
  }

  return {
    record<Table extends RecordedTable>(table: Table) {
      const recorders = Object.entries(table).map(([key, metric]) => [key, recorder(metric)]);
      return Object.fromEntries(recorders) as Recorded<Table>;
    },

    read(table, read) {
      for (const [key, metric] of Object.entries(table)) {
        const series = () => {
          const values: Readonly<Record<string, Value>> = read();
          const value = values[key] ?? [];
          return typeof value === "number" ? [{ labels: null, value }] : value;
        };
        if (metric.kind === "counter") {
          new Counter({
            ...options(metric),
            collect() {
              this.reset();
              for (const { labels, value } of series()) this.inc(labels ?? {}, value);
            },
          });
        } else {
          new Gauge({
            ...options(metric),
            ...(metric.workers ? { aggregator: metric.workers } : {}),
            collect() {
              for (const { labels, value } of series()) this.set(labels ?? {}, value);
            },
          });
        }
      }
    },
  };
}
