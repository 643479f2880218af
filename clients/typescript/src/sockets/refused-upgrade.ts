import { errorOf, parsed } from "../rest/answer.ts";
import { envelopeIn, type LivecoreError } from "../rest/errors.ts";

/** What `ws` gives of the HTTP answer to an upgrade. */
export type RefusedUpgrade = AsyncIterable<Uint8Array> & { statusCode?: number };

const MAX_BYTES = 64 * 1024;
const UNAUTHORIZED = 401;
const TOO_MANY = 429;

/** What the service refused an upgrade with; null for the word of something in between. Rejects when it breaks off. */
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

/** Whether the next try would end the same way. */
export const isDefinite = ({ status }: LivecoreError): boolean =>
  status !== null && status >= 400 && status < 500 && status !== TOO_MANY;

/** A ticket may have been lost together with a store: another one is tried, once. */
export const isOfTicket = ({ status }: LivecoreError): boolean => status === UNAUTHORIZED;
