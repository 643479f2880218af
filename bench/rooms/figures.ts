import { inMs, inThousands, median } from "../figures.ts";
import type { Cpu, Load, SendFigures } from "./load/calls.ts";

/** The load generator counts as a bottleneck above this share of its event loop. */
const MAX_UTILISED = 0.8;

export const cpuOf = ({ servers, redis }: Cpu): number => servers + redis;

/** CPU seconds of all server processes and Redis per million deliveries. */
export const perMillion = (run: SendFigures): number => (cpuOf(run.cpuMs) * 1_000) / run.deliveries;

export const perMessageUs = (run: SendFigures): number => (cpuOf(run.cpuMs) * 1_000) / run.messages;

export const deliveredPerSecond = (run: SendFigures): number => (run.deliveries * 1_000) / run.ms;

/** A figure of each round, and the middle one. */
export const middle = <T>(runs: readonly T[], of: (run: T) => number): number => median(runs.map(of));

/** The middle of the ratios within each round: what disturbs a round disturbs both. */
export const middleRatio = <T>(
  runs: readonly T[],
  to: readonly T[],
  of: (run: T) => number,
  by: (run: T) => number = of,
): number =>
  median(
    runs.flatMap((run, i) => {
      const base = to[i];
      return base === undefined ? [] : [of(run) / by(base)];
    }),
  );

export const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;

function latencyOf(runs: readonly SendFigures[]): string {
  const p50 = middle(runs, ({ latencyMs }) => latencyMs.p50);
  const p99 = middle(runs, ({ latencyMs }) => latencyMs.p99);
  return `p50 / p99 ${inMs(p50)} / ${inMs(p99)}`;
}

/** The report of a fan-out in one line; `unit` is what the CPU is given per. */
export function fanOutLine(runs: readonly SendFigures[], unit: "delivery" | "message"): string {
  const redis = middle(runs, (run) => run.cpuMs.redis / cpuOf(run.cpuMs));
  const cost =
    unit === "delivery"
      ? `${middle(runs, perMillion).toFixed(2)} CPU-s/M`
      : `${Math.round(middle(runs, perMessageUs))} µs CPU a message`;
  return [
    `${inThousands(middle(runs, deliveredPerSecond))} deliveries/s`,
    `**${cost}**${redis > 0.005 ? ` (Redis ${Math.round(redis * 100)} %)` : ""}`,
    `core ${Math.round(middle(runs, (run) => cpuOf(run.cpuMs) / run.ms) * 100)} % busy`,
    latencyOf(runs),
    `${middle(runs, (run) => run.deliveries / run.reads).toFixed(1)} a read`,
    ...faultsIn(runs),
    `load: ${middle(runs, ({ load, deliveries }) => (load.cpuMs * 1_000) / deliveries).toFixed(2)} CPU-s/M, says ${inMs(middle(runs, ({ lateMs }) => lateMs.p50))} late, ${loadLine(runs.map(({ load }) => load))}`,
  ].join(" · ");
}

/** Of a room beside others: the CPU isn't its own. */
export const calmLine = (runs: readonly SendFigures[]): string =>
  [`**${latencyOf(runs)}**`, ...faultsIn(runs), `load: ${loadLine(runs.map(({ load }) => load))}`].join(
    " · ",
  );

export function loadLine(loads: readonly Load[]): string {
  const most = Math.max(...loads.map(({ utilisation }) => utilisation));
  const share = `${Math.round(median(loads.map(({ utilisation }) => utilisation)) * 100)} % busy`;
  return most > MAX_UTILISED
    ? `${share}, **at most ${Math.round(most * 100)} %: it may have been the limit**`
    : share;
}

/** What wasn't as it should be, of the worst round. */
export function faultsIn(runs: readonly SendFigures[]): string[] {
  const worst = (of: (run: SendFigures) => number) => Math.max(...runs.map(of));
  const [behind, disorder, refused, closed] = [
    worst((run) => run.behind),
    worst((run) => run.disorder),
    worst((run) => run.refused),
    worst((run) => run.closed),
  ];
  return [
    ...(behind > 0 ? [`**behind by ${inThousands(behind)} 2 s after the end**`] : []),
    ...(disorder > 0 ? [`**${inThousands(disorder)} out of order**`] : []),
    ...(refused > 0 ? [`${inThousands(refused)} messages refused`] : []),
    ...(closed > 0 ? [`**${closed} sockets closed**`] : []),
  ];
}

export const isExact = ({ behind, disorder, closed }: SendFigures): boolean =>
  behind === 0 && disorder === 0 && closed === 0;
