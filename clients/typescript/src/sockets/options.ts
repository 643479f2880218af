import type { RefusedUpgrade } from "./refused-upgrade.ts";

/** What of a WebSocket is used; browsers' and `ws` have it. */
export type SocketLike = {
  readyState: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: ((event: never) => void) | null;
  send(data: string): void;
  close(code?: number): void;
  /** Of `ws`: shows why an upgrade was refused, which browsers hide. */
  on?(event: "unexpected-response", heard: (request: unknown, answer: RefusedUpgrade) => void): unknown;
};

export type ConnectionOptions = {
  /** ws:// or wss:// address of the service, without a path. */
  url: string;
  /** Asked for each connection, since a ticket is good once; null connects as a viewer. */
  ticket?: () => Promise<string | null>;
  /** The browser's own when left out; under Node that of `ws`. */
  WebSocket?: new (
    url: string,
  ) => unknown;
  /** Each frame as it came, before it is read. */
  onFrame?: (frame: unknown) => void;
  /**
   * Aborted, it ends the client, and what waits for an answer is rejected with its reason. A REST client's `identity`
   * keeps a socket, and what is said by it, with the user whose ticket it has.
   */
  signal?: AbortSignal;
  /**
   * The client has given up; it doesn't come back. `reason` is that of `signal`, when that was it, or the LivecoreError
   * with which it was refused for good; `code` is then 1006.
   */
  onEnd?: (code: number, reason?: unknown) => void;
  /** The socket was lost, also one that never opened; another one comes by itself. Not called when the client leaves. */
  onLost?: () => void;
  /** What handlers throw; left out, it is thrown as nobody's, after the rest of the frame was handled. */
  onError?: (err: unknown) => void;
  /** 0..1; for specs. */
  random?: () => number;
  baseDelayMs?: number;
};
