/**
 * Frames that broke the contract on any socket that a spec of this process has opened. The root hook (hook.ts) fails the
 * spec in which they came; in a process without mocha, as a crowd's, they end it.
 */
const MAX_KEPT = 20;
const faults: string[] = [];
let isWatched = false;

export function watchFaults(): void {
  isWatched = true;
}

export function reportFault(what: string): void {
  if (!isWatched) throw new Error(what);
  if (faults.length < MAX_KEPT) faults.push(what);
}

/** Those since the last time. */
export function takeFaults(): string[] {
  return faults.splice(0);
}
