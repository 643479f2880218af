import type { Recorded, RecordedTable } from "../../../base/metrics.ts";

export const RAID_METRICS = {
  ended: {
    name: "livecore_raids_ended_total",
    kind: "counter",
    help: "Raids that ended, by outcome: completed, cancelled (by the source), target_offline, not_accepted (any more, when it would have departed).",
    labels: ["outcome"],
  },
  arrived: {
    name: "livecore_raid_arrived_viewers",
    kind: "histogram",
    help: "Viewers that arrived with a raid, once it is completed.",
    buckets: [0, 1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000],
  },
} as const satisfies RecordedTable;

export type RaidOutcome = "completed" | "cancelled" | "target_offline" | "not_accepted";

export type RaidMetrics = Recorded<typeof RAID_METRICS>;
