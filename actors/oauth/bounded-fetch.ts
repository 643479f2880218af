import type { CustomFetch } from "openid-client";

/** Documents, key sets and tokens have some kilobytes. */
const MAX_BYTES = 262_144;
/** Timeout of a whole exchange, from connecting to the last byte. */
export const FETCH_SECONDS = 5;

const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);

/** Fetches without following redirects, with a limit of bytes and time; the rest of a longer answer is never read. */
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
  // Leaving the loop by an error closes the connection.
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error("The provider's answer is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
