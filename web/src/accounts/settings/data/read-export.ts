import { type ErrorEnvelope, LivecoreError } from "@livecore/client";
import { fetchOrSay } from "../../../site/problems.ts";
import { client } from "../../../site/session.ts";

/** It says how much has come every so often. */
const SAID_EVERY_MS = 250;
const NAMED = /filename="?([\w.-]+)"?/;

/** The service stopped before the end of the file. */
export class CutShortError extends Error {}

/**
 * Reads the export as it comes: it may be large, and takes as long as it takes. By hand, since the client takes answers whole. Throws a
 * LivecoreError where it is refused.
 */
export async function readExport(onBytes: (count: number) => void): Promise<{ file: Blob; name: string }> {
  // Renews an access token that has expired: this request can't.
  await client.call("getMe");
  const response = await fetchOrSay(client.address("exportMe"), {
    credentials: "include",
    headers: { "X-Service-Client": "livecore-web" },
  });
  if (!response.ok || !response.body) {
    const envelope: ErrorEnvelope = await response.json();
    throw new LivecoreError(envelope, response.status);
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body.getReader();
  let [count, saidAt] = [0, 0];
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new CutShortError();
    });
    if (done) break;
    parts.push(value);
    count += value.length;
    if (performance.now() - saidAt < SAID_EVERY_MS) continue;
    saidAt = performance.now();
    onBytes(count);
  }
  onBytes(count);
  const [, name = "export.json"] = NAMED.exec(response.headers.get("Content-Disposition") ?? "") ?? [];
  return { file: new Blob(parts, { type: "application/json" }), name };
}
