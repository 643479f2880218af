import type { components } from "../generated/openapi.ts";

export type ErrorCode = components["schemas"]["ErrorCode"];
export type ErrorEnvelope = components["schemas"]["Error"];

/** What the service refused, by REST or by socket. */
export class LivecoreError<Code extends ErrorCode = ErrorCode> extends Error {
  /** The contract's code; one that is newer than this client is known by `status`. */
  readonly code: Code;
  /** Of the HTTP answer; null by socket. */
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

/** Something in between answered instead of the service, as a captive portal or a proxy does. Nothing is known of the call. */
export class UnexpectedAnswerError extends Error {
  /** Of the HTTP answer; 0 for a redirect that a browser doesn't show. */
  readonly status: number;

  constructor(status: number) {
    super(`This is not the service's answer: status ${status}.`);
    this.name = "UnexpectedAnswerError";
    this.status = status;
  }
}

/**
 * The user for whom a call or a command was made isn't the client's any more. It isn't sent (again); one that was under
 * way may have been done.
 */
export class SessionChangedError extends Error {
  constructor(message = "Somebody signed in or out after this was asked for.") {
    super(message);
    this.name = "SessionChangedError";
  }
}

/** Reads the error envelope; null for anything else, such as the page of a proxy in between. */
export function envelopeIn(body: unknown): ErrorEnvelope | null {
  if (typeof body !== "object" || body === null) return null;
  if (!("code" in body) || typeof body.code !== "string") return null;
  if (!("message" in body) || typeof body.message !== "string") return null;
  // Codes may be added; whoever compares with known ones leaves such a one out.
  return body as ErrorEnvelope;
}
