/** Those of users and addresses count over all workers. */
export type GatewayLimits = {
  socketsPerUser: number;
  socketsPerIp: number;
  /** In 10 s. */
  upgradesPerIp: number;
  /** That replays may send, in a minute. */
  replayBytesPerUser: number;
  replayBytesPerIp: number;
  /** Lookups of rooms that don't exist, in a minute. */
  unknownRoomsPerIp: number;
  /** The soft limit of a socket's send buffer; see send-buffer.ts for what follows from it. */
  sendBufferBytes: number;
  /** A reader that takes nothing of a waiting replay for so long is closed with 4008. */
  stalledMs: number;
};

const REPLAY_BYTES = 32 * 1024 * 1024;

/** `factor` is RATE_LIMIT_FACTOR. */
export function limitsByAddress(factor: number) {
  const times = (limit: number) => Math.max(1, Math.floor(limit * factor));
  return {
    socketsPerIp: times(100),
    // All that may be open can come back at once, twice.
    upgradesPerIp: times(200),
    // As much as 100 sockets need that lack all that rings hold, and more than any room's log twice.
    replayBytesPerIp: times(REPLAY_BYTES),
    unknownRoomsPerIp: times(120),
  };
}

export const defaultLimits: GatewayLimits = {
  ...limitsByAddress(1),
  socketsPerUser: 10,
  replayBytesPerUser: REPLAY_BYTES,
  sendBufferBytes: 512 * 1024,
  stalledMs: 15_000,
};
