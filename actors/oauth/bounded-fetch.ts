import type { CustomFetch } from "openid-client";
import { deadlineSignal } from "../../store/deadline-signal.ts";
import { PEER_DEADLINES_MS } from "../../store/peer-deadlines.ts";

/** Documents, key sets and tokens have some kilobytes. */
const MAX_BYTES = 262_144;
/** For the library, which counts in seconds. */
export const FETCH_SECONDS = PEER_DEADLINES_MS.oauthRequest / 1_000;

const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);

/** Fetches without following redirects, with a limit of bytes and time; the rest of a longer answer is never read. */
export const boundedFetch: CustomFetch = async (url, { body, signal, ...options }) => {
  const response = await fetch(url, {
    ...options,
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
    signal: deadlineSignal(PEER_DEADLINES_MS.oauthRequest, ...(signal ? [signal] : [])),
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
