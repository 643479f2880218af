import { errorOf, parsed } from "../rest/answer.ts";
import { envelopeIn, type LivecoreError } from "../rest/errors.ts";

/** The HTTP response to an upgrade, as `ws` provides it. */
export type RefusedUpgrade = AsyncIterable<Uint8Array> & { statusCode?: number };

const MAX_BYTES = 64 * 1024;
const UNAUTHORIZED = 401;
const TOO_MANY = 429;

/**
 * The error with which the service refused an upgrade; null for another party's response. Rejects when the response breaks
 * off.
 */
export async function refusalIn(answer: RefusedUpgrade): Promise<LivecoreError | null> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of answer) {
    text += decoder.decode(part, { stream: true });
    if (text.length > MAX_BYTES) return null;
  }
  const body = parsed(text);
  return envelopeIn(body) ? errorOf({ status: answer.statusCode ?? 0, body }) : null;
}

/** Whether a retry would end the same way. */
export const isDefinite = ({ status }: LivecoreError): boolean =>
  status !== null && status >= 400 && status < 500 && status !== TOO_MANY;

/** Whether the ticket was refused. It may have been lost together with a store, so another one is tried, once. */
export const isOfTicket = ({ status }: LivecoreError): boolean => status === UNAUTHORIZED;
