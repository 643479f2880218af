import type { Metric } from "../../../base/metrics.ts";

/** The metrics of each part, by the path of the module that declares them. */
type MetricModules = readonly { path: string; metrics: readonly Metric[] }[];

/**
 * The text of docs/metrics.md, generated from the tables that declare the metrics. Throws for a name that breaks the
 * conventions.
 */
export function metricsPage(modules: MetricModules): string {
  return [
    "# Metrics",
    "",
    "Generated from the `metrics.ts` of each part by `npm run generate`; edit them there",
    "([one more](adding-a-feature.md#a-metric)).",
    "",
    "`/metrics` on the internal port has these and Node's own (`process_*`, `nodejs_*`). Every series has the label `worker`:",
    "`api`, `realtime` or `jobs`, whose workers are added up unless it says otherwise, or `primary`. Counters start at 0 with",
    "their process.",
    ...modules.flatMap(({ path, metrics }) => [
      ...["", `## ${path.split("/").slice(0, -1).join("/")}`, ""],
      ...["| Metric | Kind | Labels | Meaning |", "|---|---|---|---|"],
      ...metrics.map(
        (metric) => `| \`${nameOf(metric)}\` | ${kindOf(metric)} | ${labelsOf(metric)} | ${metric.help} |`,
      ),
    ]),
    "",
  ].join("\n");
}

function nameOf({ name, kind }: Metric): string {
  const fault = /_(ms|millis|milliseconds|micros|minutes|hours|kb|mb)(_|$)/.test(name)
    ? "units are seconds and bytes"
    : name.endsWith("_total") !== (kind === "counter")
      ? "counters end with _total, nothing else does"
      : null;
  if (fault) throw new Error(`${name}: ${fault}`);
  return name;
}

const kindOf = (metric: Metric): string =>
  metric.kind === "gauge" && metric.workers === "max" ? "gauge, the highest of the workers" : metric.kind;

const labelsOf = ({ labels = [] }: Metric): string => labels.map((name) => `\`${name}\``).join(", ") || "–";
