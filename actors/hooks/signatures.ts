/** Signatures of Standard Webhooks: https://www.standardwebhooks.com */
import { createHmac, timingSafeEqual } from "node:crypto";
import { ServiceError } from "../../contract/errors.ts";

/** Tolerated difference between a report's timestamp and our clock, in both directions. */
const TOLERANCE_S = 5 * 60;
/** How many signatures of one report are checked at most. */
const MAX_SIGNATURES = 16;
const PREFIX = "whsec_";
const VERSION = "v1,";

type Headers = Record<string, string | string[] | undefined>;

/** Decodes a secret: base64 after the prefix `whsec_`, or else its UTF-8 bytes. */
export const signingKey = (secret: string): Buffer =>
  secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), "base64")
    : Buffer.from(secret, "utf8");

const signatureOf = (key: Buffer, id: string, timestamp: string, body: Uint8Array): Buffer =>
  createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();

/** The three signature headers of a request that is sent now. */
export function signedHeaders(
  secret: string,
  id: string,
  body: string,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signature = signatureOf(signingKey(secret), id, timestamp, Buffer.from(body)).toString("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `${VERSION}${signature}` };
}

/** Returns the report's id. Throws `signature_invalid` unless one of the keys signed exactly these bytes within TOLERANCE_S. */
export function verifiedId(
  keys: readonly Buffer[],
  { headers, raw, nowMs }: { headers: Headers; raw: Uint8Array; nowMs: number },
): string {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": given } = headers;
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof given !== "string")
    throw invalidSignature();
  if (!/^[!-~]{1,128}$/.test(id) || !/^\d{1,12}$/.test(timestamp)) throw invalidSignature();
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > TOLERANCE_S) throw invalidSignature();
  const signatures = given
    .split(" ", MAX_SIGNATURES)
    .filter((one) => one.startsWith(VERSION))
    .map((one) => Buffer.from(one.slice(VERSION.length), "base64"));
  const isSigned = keys.some((key) => {
    const right = signatureOf(key, id, timestamp, raw);
    return signatures.some((one) => one.length === right.length && timingSafeEqual(one, right));
  });
  if (!isSigned) throw invalidSignature();
  return id;
}

export const invalidSignature = () => new ServiceError("signature_invalid");
