/**
 * Limits of a socket's send buffer. They depend on each other, so all derive from the soft one:
 *
 * 1. A replay waits while its reader is behind by `replayAheadBytes`, far below the soft limit.
 * 2. A sweep checks all sockets every `sweepMs`, and closes those above `softBytes` with 4008: what they got so far is a
 *    contiguous part.
 * 3. After `sweepBytes` were published the next sweep comes early, but no sooner than `sweepsApartMs` after the last, since
 *    it visits every socket: no reader gets from the soft limit to the hard one between two sweeps.
 * 4. Above `hardBytes` uWebSockets.js itself ends the connection, without a close code.
 */
export type SendBufferLimits = Readonly<{
  softBytes: number;
  hardBytes: number;
  replayAheadBytes: number;
  sweepBytes: number;
  sweepMs: number;
  sweepsApartMs: number;
}>;

export function sendBufferLimits(softBytes: number): SendBufferLimits {
  return {
    softBytes,
    hardBytes: softBytes * 2,
    replayAheadBytes: softBytes / 8,
    sweepBytes: softBytes / 2,
    sweepMs: 250,
    sweepsApartMs: 50,
  };
}
