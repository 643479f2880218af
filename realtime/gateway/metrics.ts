import type { Readings, ReadTable } from "../../store/metrics.ts";

export const GATEWAY_METRICS = {
  sockets: { name: "livecore_gateway_sockets", kind: "gauge", help: "Open sockets." },
  rooms: { name: "livecore_gateway_rooms", kind: "gauge", help: "Rooms with a subscriber, by worker." },
  tailLagSeconds: {
    name: "livecore_gateway_tail_lag_seconds",
    kind: "gauge",
    help: "Time since a worker's tail was last answered, of the worst; above 5 it isn't ready.",
    workers: "max",
  },
  paceSeconds: {
    name: "livecore_gateway_pace_seconds",
    kind: "gauge",
    help: "Time for which a busy room's events are gathered, of the slowest worker; above 0.01 it is busy.",
    workers: "max",
  },
  ringReplays: {
    name: "livecore_gateway_ring_replays_total",
    kind: "counter",
    help: "Replays that were served from memory.",
  },
  replayReads: {
    name: "livecore_gateway_replay_reads_total",
    kind: "counter",
    help: "Pages of room logs that were read for replays: what a wave of reconnects costs.",
  },
  replayShared: {
    name: "livecore_gateway_replay_shared_total",
    kind: "counter",
    help: "Pages that a replay shared with the one that read them.",
  },
  slowReaders: {
    name: "livecore_gateway_slow_readers_total",
    kind: "counter",
    help: "Sockets ended with 4008.",
  },
} as const satisfies ReadTable;

export type GatewayStats = Readings<typeof GATEWAY_METRICS>;
