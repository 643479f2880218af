import type { CustomFetch } from "openid-client";

/** A document, a key set or a token is some kilobytes. */
const MOST_BYTES = 262_144;
/** For a whole exchange, from the connection to the last byte. */
export const FETCH_SECONDS = 5;

const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);

/** Fetches without following anybody elsewhere, and reads so much and for so long: the rest of an answer is never taken. */
export const boundedFetch: CustomFetch = async (url, { body, signal, ...options }) => {
  const late = AbortSignal.timeout(FETCH_SECONDS * 1_000);
  const response = await fetch(url, {
    ...options,
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
    signal: signal ? AbortSignal.any([signal, late]) : late,
  });
  const { status, statusText, headers } = response;
  const read = await readBounded(response);
  return new Response(WITHOUT_BODY.has(status) ? null : read, { status, statusText, headers });
};

async function readBounded({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop by the error ends the connection.
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw new Error("The provider's answer is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
