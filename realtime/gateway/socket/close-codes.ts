import { CLOSE_CODES } from "../../../contract/frames.ts";

/** Why the gateway closes a socket. The contract defines the codes, and after which of them a client reconnects. */
export type Closing = { code: number; reason: string; reconnect: boolean };

export const CLOSINGS = {
  restart: { code: CLOSE_CODES.restart, reason: "restart", reconnect: true },
  /** The channel of a dedicated path couldn't be followed now. */
  unavailable: { code: CLOSE_CODES.restart, reason: "unavailable", reconnect: true },
  slowConsumer: { code: CLOSE_CODES.slowConsumer, reason: "slow_consumer", reconnect: true },
  sessionRevoked: { code: CLOSE_CODES.sessionRevoked, reason: "session_revoked", reconnect: false },
  rateLimited: { code: CLOSE_CODES.rateLimited, reason: "rate_limited", reconnect: true },
  badRequest: { code: CLOSE_CODES.badRequest, reason: "bad_request", reconnect: false },
} as const satisfies Record<string, Closing>;

/** Lower codes are those of every WebSocket, such as that of a restart. */
export const FIRST_APPLICATION_CODE = 4_000;
