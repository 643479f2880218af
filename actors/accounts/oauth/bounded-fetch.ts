import type { CustomFetch } from "openid-client";
import { deadlineSignal } from "../../../base/deadline-signal.ts";
import { PEER_DEADLINES_MS } from "../../../base/peer-deadlines.ts";
import { responseChunks } from "../../fetching/response-chunks.ts";

/** Documents, key sets and tokens have some kilobytes. */
const MAX_BYTES = 262_144;
/** For the library, which counts in seconds. */
export const FETCH_SECONDS = PEER_DEADLINES_MS.oauthRequest / 1_000;

const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);

/** Fetches without following redirects, with a limit of bytes and time; the rest of a longer answer is never read. */
export const boundedFetch: CustomFetch = async (url, { body, signal, ...options }) => {
  const deadline = deadlineSignal(PEER_DEADLINES_MS.oauthRequest, ...(signal ? [signal] : []));
  const response = await fetch(url, {
    ...options,
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
    signal: deadline,
  });
  const { status, statusText, headers } = response;
  const read = await readBounded(response, deadline);
  return new Response(WITHOUT_BODY.has(status) ? null : read, { status, statusText, headers });
};

async function readBounded(response: Response, deadline: AbortSignal): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of responseChunks(response, deadline)) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error("The provider's answer is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
