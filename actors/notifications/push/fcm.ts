import { importPKCS8, SignJWT } from "jose";
import type { Clock } from "../../../base/clock.ts";
import { deadlineSignal } from "../../../base/deadline-signal.ts";
import { PEER_DEADLINES_MS } from "../../../base/peer-deadlines.ts";
import { responseChunks } from "../../fetching/response-chunks.ts";
import { fieldsOf, parseJsonOrNull } from "./json.ts";
import {
  ANSWER_BYTES,
  dataOf,
  type PushAnswer,
  type PushMessage,
  type PushSender,
  retryAfterMs,
  secondsLeft,
} from "./sender.ts";

/** A service account's credentials, as Google issues them. */
export type FcmSettings = {
  projectId: string;
  clientEmail: string;
  /** PKCS #8, PEM. */
  privateKey: string;
  tokenUrl: string;
};

const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const HOUR_SECONDS = 3_600;
/** An access token is renewed this long before it expires. */
const EARLY_MS = 300_000;

/** Google's push service over its HTTP v1 API, authenticated as a service account (OAuth 2, RFC 7523). */
export function createFcm(
  { projectId, clientEmail, privateKey, tokenUrl }: FcmSettings,
  clock: Clock,
  { url = "https://fcm.googleapis.com" }: { url?: string } = {},
): PushSender {
  let access: { token: Promise<string>; until: number } | null = null;
  const closing = new AbortController();
  const newDeadline = () => deadlineSignal(PEER_DEADLINES_MS.push, closing.signal);

  async function ask(
    address: string,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
  ): Promise<FcmResponse> {
    const answer = await fetch(address, {
      method: "POST",
      headers,
      body,
      redirect: "error",
      signal,
    });
    const retryAfter = answer.headers.get("retry-after");
    return { status: answer.status, retryAfter, json: await readJson(answer, signal) };
  }

  async function newToken(now: number): Promise<string> {
    const seconds = Math.floor(now / 1_000);
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: "RS256", typ: "JWT" })
      .setIssuer(clientEmail)
      .setAudience(tokenUrl)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + HOUR_SECONDS)
      .sign(await importPKCS8(privateKey, "RS256"));
    const form = new URLSearchParams({ grant_type: GRANT, assertion });
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const { status, json } = await ask(tokenUrl, type, form.toString(), newDeadline());
    const token = fieldsOf(json).access_token;
    if (status !== 200 || typeof token !== "string") throw new Error(`FCM gave no access token: ${status}`);
    return token;
  }

  async function accessToken(): Promise<string> {
    const now = clock.now();
    if (!access || access.until - now < EARLY_MS || access.until - now > 2 * HOUR_SECONDS * 1_000) {
      const token = newToken(now);
      const renewal = { token, until: now + HOUR_SECONDS * 1_000 };
      access = renewal;
      token.catch(() => {
        if (access === renewal) access = null;
      });
    }
    return access.token;
  }

  return {
    async send(token, message) {
      // Also for an access token, which others may have requested before.
      const deadline = newDeadline();
      const headers = {
        authorization: `Bearer ${await accessToken()}`,
        "content-type": "application/json",
      };
      const body = JSON.stringify({ message: messageOf(token, message, clock.now()) });
      const response = await ask(`${url}/v1/projects/${projectId}/messages:send`, headers, body, deadline);
      if (response.status === 401) access = null;
      return answerOf(response, clock.now());
    },
    close: () => closing.abort(),
  };
}

function messageOf(token: string, message: PushMessage, now: number) {
  const { title, body, collapseId } = message;
  const ttl = secondsLeft(message, now);
  return {
    token,
    notification: { title, body },
    data: dataOf(message),
    android: {
      collapse_key: collapseId,
      priority: "HIGH",
      ttl: `${ttl}s`,
      // A second notification with the same tag replaces the first.
      notification: { tag: collapseId },
    },
    apns: {
      headers: {
        "apns-collapse-id": collapseId,
        "apns-expiration": String(Math.floor(message.usefulUntil.getTime() / 1_000)),
      },
    },
  };
}

type FcmResponse = { status: number; retryAfter: string | null; json: unknown };

function answerOf({ status, retryAfter, json }: FcmResponse, now: number): PushAnswer {
  if (status === 200) return { outcome: "taken" };
  const error = fieldsOf(json).error;
  const codes = listOf(fieldsOf(error).details).map((detail) => fieldsOf(detail).errorCode);
  const code = codes.find((one) => typeof one === "string") ?? fieldsOf(error).status;
  // Not on every 404 or mismatch: a misconfigured account or project would remove every device.
  if (code === "UNREGISTERED" || namesToken(error)) return { outcome: "gone" };
  const why = `FCM answered ${status} ${String(code ?? "").slice(0, 40)}`.trim();
  if (status === 401 || status === 429 || status >= 500)
    return { outcome: "later", why, afterMs: retryAfterMs(retryAfter, now) };
  return { outcome: "refused", why, isOurs: true };
}

/** FCM reports a malformed token as an invalid field. */
const namesToken = (error: unknown): boolean =>
  listOf(fieldsOf(error).details)
    .flatMap((detail) => listOf(fieldsOf(detail).fieldViolations))
    .some((violation) => fieldsOf(violation).field === "message.token");

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Reads only about the first ANSWER_BYTES of a response; null when that isn't JSON. */
async function readJson(answer: Response, signal: AbortSignal): Promise<unknown> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of responseChunks(answer, signal)) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ANSWER_BYTES) break;
  }
  return parseJsonOrNull(text);
}
