/**
 * How parts say what operators see of them. The metrics of a part stand in a table beside it, `metrics.ts`: from it come the
 * types of what the part calls or tells, Prometheus' metrics (`deploy/metrics/meter.ts`) and docs/metrics.md. Units are
 * base units, seconds and bytes.
 */
type Described<Name extends string> = {
  readonly name: Name;
  readonly help: string;
  /** Of a few values each, like machines or error codes; never of users or rooms. */
  readonly labels?: readonly string[];
};

export type CounterMetric = Described<`livecore_${string}_total`> & { readonly kind: "counter" };
export type GaugeMetric = Described<`livecore_${string}`> & {
  readonly kind: "gauge";
  /** Workers of a kind are added up, unless the highest says more. */
  readonly workers?: "max";
};
export type HistogramMetric = Described<`livecore_${string}`> & {
  readonly kind: "histogram";
  readonly buckets: readonly number[];
};

export type Metric = CounterMetric | GaugeMetric | HistogramMetric;

/** Metrics that a part keeps as things happen. */
export type RecordedTable = Readonly<Record<string, CounterMetric | HistogramMetric>>;

/** Metrics that are looked up when somebody asks. */
export type ReadTable = Readonly<Record<string, CounterMetric | GaugeMetric>>;

type LabelsOf<Of> = Of extends { readonly labels: readonly (infer Name extends string)[] }
  ? Readonly<Record<Name, string>>
  : null;

/** Adds to a counter, or puts a value in a histogram; called synchronously, never throws. */
type Recorder<Of> = (value: number, ...labels: LabelsOf<Of> extends null ? [] : [LabelsOf<Of>]) => void;

export type Recorded<Table extends RecordedTable> = { readonly [Key in keyof Table]: Recorder<Table[Key]> };

/** A value now: of a metric with labels, one of each series. */
type Reading<Of> = LabelsOf<Of> extends null ? number : readonly { labels: LabelsOf<Of>; value: number }[];

export type Readings<Table extends ReadTable> = { readonly [Key in keyof Table]: Reading<Table[Key]> };

export type Meter = {
  /** What a part calls as things happen, by the keys of its table. Once a process and table. */
  record<Table extends RecordedTable>(table: Table): Recorded<Table>;
  /** `read` is asked whenever an operator's Prometheus asks. Once a process and table. */
  read<Table extends ReadTable>(table: Table, read: () => Readings<Table>): void;
};

/** For where nobody looks: specs and commands of the terminal. Refuses a metric that it has, as a real one does. */
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
