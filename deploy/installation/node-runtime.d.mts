/** A Node version and the system that it runs on. */
export type NodeHere = { version: string; abi: number; system: string; glibc: string | null };

export const SOCKET_BINARIES: Record<string, Record<string, string | null>>;

export function readyToRun(options?: { withStores?: boolean }): Promise<void>;
export function obstacleOf(here: NodeHere): string | null;
