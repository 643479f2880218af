/** Signatures of Standard Webhooks: https://www.standardwebhooks.com */
import { createHmac, timingSafeEqual } from "node:crypto";
import { ServiceError } from "../../specs/contract/errors.ts";

/** How far a report's time may be off, both ways. */
const TOLERANCE_S = 5 * 60;
/** Signatures of one report that are looked at. */
const MAX_SIGNATURES = 16;
const PREFIX = "whsec_";
const VERSION = "v1,";

type Headers = Record<string, string | string[] | undefined>;

/** The key that a secret stands for: what its base64 says, or the bytes of a text that isn't written in that way. */
export const signingKey = (secret: string): Buffer =>
  secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), "base64")
    : Buffer.from(secret, "utf8");

const signatureOf = (key: Buffer, id: string, timestamp: string, body: Uint8Array): Buffer =>
  createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();

/** The three headers of a report that is sent now. */
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

/** Gives back the report's id. Throws `signature_invalid` unless one of the secrets has signed exactly these bytes, lately. */
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
