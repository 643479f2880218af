import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { HostMetrics } from "../../actors/host/metrics.ts";

const LATENCIES = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const LAGS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300];
const SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500];

/** The host's figures as Prometheus metrics of this worker. */
export function actorMetrics(registry: Registry): HostMetrics {
  const registers = [registry];
  const labelNames = ["machine"];
  const of = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `livecore_${name}`, help, labelNames, buckets, registers });
  const count = (name: string, help: string) =>
    new Counter({ name: `livecore_${name}`, help, labelNames, registers });

  const size = of("actor_batch_size", "Requests decided together by one commit.", SIZES);
  const waited = of(
    "actor_mailbox_wait_seconds",
    "Time that a batch's oldest request had waited.",
    LATENCIES,
  );
  const commits = of(
    "actor_commit_seconds",
    "From a batch's first read to the end of its commit.",
    LATENCIES,
  );
  const conflicts = count("actor_conflicts_total", "Attempts that had to be decided again.");
  const overflows = count("actor_mailbox_overflows_total", "Requests turned away by a full mailbox.");
  const parked = count("actor_parked_total", "Loads of a snapshot that doesn't fit the code; alert on any.");
  const timers = of("timer_lag_seconds", "Time from a timer's due moment to its firing.", LAGS);
  const outbox = new Histogram({
    name: "livecore_outbox_lag_seconds",
    help: "Time from a commit to the telling of what it had to tell.",
    buckets: LAGS,
    registers,
  });
  return {
    batch(machine, requests, seconds) {
      size.observe({ machine }, requests);
      waited.observe({ machine }, seconds);
    },
    committed: (machine, seconds) => commits.observe({ machine }, seconds),
    conflict: (machine) => conflicts.inc({ machine }),
    overflow: (machine) => overflows.inc({ machine }),
    parked: (machine) => parked.inc({ machine }),
    published: (lag) => outbox.observe(lag),
    fired: (machine, lag) => timers.observe({ machine }, lag),
  };
}

/** Gauges that are looked up when somebody asks: what waits in this worker right now. */
export function watchMailboxes(
  registry: Registry,
  waiting: () => { actors: number; requests: number },
): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `livecore_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge("actor_mailboxes", "Actors with something waiting or under way here.", () => waiting().actors);
  gauge("actor_mailbox_depth", "Requests that wait in mailboxes here.", () => waiting().requests);
}
