/** The interval at which RTMP servers send updates of their publishers (nginx-rtmp: `notify_update_timeout`). */
export const UPDATE_INTERVAL_MS = 10_000;

/** A publisher is lost when three updates are missing. One without updates gives way to another one after the same time. */
export const PUBLISHER_LEASE_MS = 3 * UPDATE_INTERVAL_MS;

export const leaseFrom = (seenAt: Date): Date => new Date(seenAt.getTime() + PUBLISHER_LEASE_MS);
