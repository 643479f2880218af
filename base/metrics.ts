/**
 * How components export metrics. A component declares its metrics in a table in its `metrics.ts`. The types of its recorders
 * and readings, the Prometheus metrics (`deploy/processes/metrics/meter.ts`) and docs/metrics.md are all made from that table. Units are
 * base units, seconds and bytes.
 */
type Described<Name extends string> = {
  readonly name: Name;
  readonly help: string;
  /** Low cardinality only, like machines or error codes; never users or rooms. */
  readonly labels?: readonly string[];
};

type CounterMetric = Described<`livecore_${string}_total`> & { readonly kind: "counter" };
type GaugeMetric = Described<`livecore_${string}`> & {
  readonly kind: "gauge";
  /** How the workers of a kind are aggregated: summed, unless "max". */
  readonly workers?: "max";
};
type HistogramMetric = Described<`livecore_${string}`> & {
  readonly kind: "histogram";
  readonly buckets: readonly number[];
};

export type Metric = CounterMetric | GaugeMetric | HistogramMetric;

/** Metrics that are recorded as things happen. */
export type RecordedTable = Readonly<Record<string, CounterMetric | HistogramMetric>>;

/** Metrics that are read at each scrape. */
export type ReadTable = Readonly<Record<string, CounterMetric | GaugeMetric>>;

type LabelsOf<Of> = Of extends { readonly labels: readonly (infer Name extends string)[] }
  ? Readonly<Record<Name, string>>
  : null;

/** Adds to a counter, or observes a value in a histogram; synchronous, never throws. */
type Recorder<Of> = (value: number, ...labels: LabelsOf<Of> extends null ? [] : [LabelsOf<Of>]) => void;

export type Recorded<Table extends RecordedTable> = { readonly [Key in keyof Table]: Recorder<Table[Key]> };

/** The current value; for a metric with labels one value per series. */
type Reading<Of> = LabelsOf<Of> extends null ? number : readonly { labels: LabelsOf<Of>; value: number }[];

export type Readings<Table extends ReadTable> = { readonly [Key in keyof Table]: Reading<Table[Key]> };

export type Meter = {
  /** Recorders by the keys of the table. Call it once per process and table. */
  record<Table extends RecordedTable>(table: Table): Recorded<Table>;
  /** `read` is called at each Prometheus scrape. Call it once per process and table. */
  read<Table extends ReadTable>(table: Table, read: () => Readings<Table>): void;
};

/** For specs and terminal commands, where nobody scrapes. Throws on a duplicate metric, like a real one. */
export function silentMeter(): Meter {
  const names = new Set<string>();
  function register(table: Readonly<Record<string, Metric>>): void {
    for (const { name } of Object.values(table)) {
      if (names.has(name)) throw new Error(`the metric ${name} is registered already`);
      names.add(name);
    }
  }
  return {
    record<Table extends RecordedTable>(table: Table) {
      register(table);
      const silent = Object.keys(table).map((key) => [key, () => undefined]);
      return Object.fromEntries(silent) as Recorded<Table>;
    },
    read: register,
  };
}
