import { CLOSE_CODES } from "../../../contract/frames.ts";

/** Why the gateway closes a socket. The document (`x-close-codes`) says after which codes a client reconnects. */
export type Closing = { code: number; reason: string };

export const CLOSINGS = {
  restart: { code: CLOSE_CODES.restart, reason: "restart" },
  /** The channel of a dedicated path couldn't be followed now. */
  unavailable: { code: CLOSE_CODES.restart, reason: "unavailable" },
  slowConsumer: { code: CLOSE_CODES.slowConsumer, reason: "slow_consumer" },
  sessionRevoked: { code: CLOSE_CODES.sessionRevoked, reason: "session_revoked" },
  rateLimited: { code: CLOSE_CODES.rateLimited, reason: "rate_limited" },
  badRequest: { code: CLOSE_CODES.badRequest, reason: "bad_request" },
} as const satisfies Record<string, Closing>;

/** Lower codes are those of every WebSocket, such as that of a restart. */
export const FIRST_APPLICATION_CODE = 4_000;
