import type { RefusedUpgrade } from "./refused-upgrade.ts";

/** The part of WebSocket that is used; browsers and `ws` provide it. */
export type SocketLike = {
  readyState: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: ((event: never) => void) | null;
  send(data: string): void;
  close(code?: number): void;
  /** Only in `ws`: says why an upgrade was refused, which browsers hide. */
  on?(event: "unexpected-response", listener: (request: unknown, answer: RefusedUpgrade) => void): unknown;
};

export type ConnectionOptions = {
  /** ws:// or wss:// URL of the service, without a path. */
  url: string;
  /** Called for each connection, since a ticket is valid once; null connects as an anonymous viewer. */
  ticket?: () => Promise<string | null>;
  /** Default: the browser's own; under Node pass that of `ws`. */
  WebSocket?: new (
    url: string,
  ) => unknown;
  /** Called with each frame as received, before it is handled. */
  onFrame?: (frame: unknown) => void;
  /**
   * Aborting it ends the client and rejects pending commands with its reason. With a REST client's `identity`, a socket and the
   * commands sent over it stay with the user whose ticket it has.
   */
  signal?: AbortSignal;
  /**
   * The client has ended and doesn't reconnect. `reason` is that of `signal` when it was aborted, or the LivecoreError of a
   * permanent refusal; `code` is then 1006.
   */
  onEnd?: (code: number, reason?: unknown) => void;
  /** The socket was lost, or never opened; the client reconnects by itself. Not called when the client ends. */
  onLost?: () => void;
  /** Called with what handlers throw. By default it becomes an uncaught exception, after the rest of the frame was handled. */
  onError?: (err: unknown) => void;
  /** Random numbers in [0, 1); for specs. */
  random?: () => number;
  baseDelayMs?: number;
};
