/**
 * What operators see of the host: figures, never decisions. Each is called synchronously, with seconds, and must not throw.
 * Machines are a fixed few, so that they fit for a label; actors are not.
 */
export type HostMetrics = {
  /** A batch was taken from a mailbox, with so many requests, the oldest of which had waited so long. */
  batch(machine: string, size: number, waited: number): void;
  /** A batch became durable: from its first read to the end of its transaction, repeats included. */
  committed(machine: string, seconds: number): void;
  /** An attempt was decided on something that was no longer so, and is taken again. */
  conflict(machine: string): void;
  /** A request was turned away: its mailbox was full. */
  overflow(machine: string): void;
  /** A stored snapshot doesn't fit the code: its actor waits. Somebody has to look. */
  parked(machine: string): void;
  /** A row of the outbox was published that long after its commit. */
  published(lag: number): void;
  /** A timer was fired that long after it was due. */
  fired(machine: string, lag: number): void;
};

export const noMetrics: HostMetrics = {
  batch: () => undefined,
  committed: () => undefined,
  conflict: () => undefined,
  overflow: () => undefined,
  parked: () => undefined,
  published: () => undefined,
  fired: () => undefined,
};
