import type { Readings, ReadTable } from "../../base/metrics.ts";

export const GATEWAY_METRICS = {
  sockets: { name: "livecore_gateway_sockets", kind: "gauge", help: "Open sockets." },
  rooms: {
    name: "livecore_gateway_rooms",
    kind: "gauge",
    help: "Rooms with at least one subscriber, counted per worker.",
  },
  tailLagSeconds: {
    name: "livecore_gateway_tail_lag_seconds",
    kind: "gauge",
    help: "Time since the last answer to a worker's tail read, for the slowest worker; above 5 the worker isn't ready.",
    workers: "max",
  },
  paceSeconds: {
    name: "livecore_gateway_pace_seconds",
    kind: "gauge",
    help: "Time for which events of expensive rooms are batched, for the slowest worker; above 0.01 sending to them takes a quarter of a core.",
    workers: "max",
  },
  ringReplays: {
    name: "livecore_gateway_ring_replays_total",
    kind: "counter",
    help: "Replays served from memory.",
  },
  replayReads: {
    name: "livecore_gateway_replay_reads_total",
    kind: "counter",
    help: "Pages of room logs read for replays; shows the cost of a wave of reconnects.",
  },
  replayShared: {
    name: "livecore_gateway_replay_shared_total",
    kind: "counter",
    help: "Pages that a replay shared with another replay that read them.",
  },
  slowReaders: {
    name: "livecore_gateway_slow_readers_total",
    kind: "counter",
    help: "Sockets closed with 4008.",
  },
} as const satisfies ReadTable;

export type GatewayStats = Readings<typeof GATEWAY_METRICS>;
