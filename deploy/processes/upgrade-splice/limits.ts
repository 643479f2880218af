/** Maximum sockets of one process; above it an upgrade is refused with 503. */
export const MAX_SPLICED = 50_000;
/** The client's connection, and the one to the worker. */
export const DESCRIPTORS_PER_SPLICE = 2;
