/** Names of the queues; one tag keeps all of BullMQ's keys on one node of a Redis Cluster. */
export const QUEUE_PREFIX = "{bull}";

export const queues = {
  /** Recurring checks and clean-up; its jobs carry no data, their name says it all. */
  upkeep: "upkeep",
} as const;

export type UpkeepJob = "ledger-check" | "follower-counts";
