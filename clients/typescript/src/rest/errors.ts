import type { components } from "../generated/openapi.ts";

export type ErrorCode = components["schemas"]["ErrorCode"];
export type ErrorEnvelope = components["schemas"]["Error"];

/** A refusal by the service, over REST or a socket. */
export class LivecoreError<Code extends ErrorCode = ErrorCode> extends Error {
  /** The contract's code. A code that is newer than this client has to be judged by `status`. */
  readonly code: Code;
  /** The HTTP status; null over a socket. */
  readonly status: number | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    envelope: { code: Code; message: string; details?: Record<string, unknown> },
    status: number | null,
  ) {
    super(envelope.message);
    this.name = "LivecoreError";
    this.code = envelope.code;
    this.status = status;
    this.details = envelope.details ?? {};
  }

  /** How long to wait before the next try, ms; null when the service didn't say. */
  get retryAfterMs(): number | null {
    const { retry_after_ms: ms } = this.details;
    return typeof ms === "number" ? ms : null;
  }
}

/**
 * Something in between answered instead of the service, such as a captive portal or a proxy. Whether the call took effect is
 * unknown.
 */
export class UnexpectedAnswerError extends Error {
  /** The HTTP status; 0 for a redirect that a browser hides. */
  readonly status: number;

  constructor(status: number) {
    super(`This is not the service's answer: status ${status}.`);
    this.name = "UnexpectedAnswerError";
    this.status = status;
  }
}

/**
 * The user for whom a call or command was made isn't signed in any more. It isn't sent (again); if it was already on its way, it
 * may have taken effect.
 */
export class SessionChangedError extends Error {
  constructor(message = "Somebody signed in or out after this call was made.") {
    super(message);
    this.name = "SessionChangedError";
  }
}

/** Returns the error envelope; null for anything else, such as a proxy's page. */
export function envelopeIn(body: unknown): ErrorEnvelope | null {
  if (typeof body !== "object" || body === null) return null;
  if (!("code" in body) || typeof body.code !== "string") return null;
  if (!("message" in body) || typeof body.message !== "string") return null;
  // Codes may be added; comparisons with known codes simply don't match a new one.
  return body as ErrorEnvelope;
}
