/** Limits per user and per address count over all workers. */
export type GatewayLimits = {
  socketsPerUser: number;
  socketsPerIp: number;
  /** Per 10 s. */
  upgradesPerIp: number;
  /** Bytes that replays may send per minute. */
  replayBytesPerUser: number;
  replayBytesPerIp: number;
  /** Lookups of rooms that don't exist, per minute. */
  unknownRoomsPerIp: number;
  /** The soft limit of a socket's send buffer; see send-buffer.ts for the limits that derive from it. */
  sendBufferBytes: number;
  /** A reader that takes nothing of a waiting replay for this long is closed with 4008. */
  stalledMs: number;
  /** How often sockets are checked for sessions that are due to be verified again. */
  sessionCheckMs: number;
};

const REPLAY_BYTES = 32 * 1024 * 1024;

/** `factor` is RATE_LIMIT_FACTOR. */
export function limitsByAddress(factor: number) {
  const times = (limit: number) => Math.max(1, Math.floor(limit * factor));
  return {
    socketsPerIp: times(100),
    // All sockets that may be open can reconnect at once, twice.
    upgradesPerIp: times(200),
    // As much as 100 sockets need that each lack a whole ring, and more than twice the log of any room.
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
  sessionCheckMs: 10_000,
};
