/**
 * Frames that broke the contract on any socket of this process. The root hook (hook.ts) fails the spec during which they came; in
 * a process without mocha, such as a crowd's, they end the process.
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

/** Returns and clears those since the last call. */
export function takeFaults(): string[] {
  return faults.splice(0);
}
