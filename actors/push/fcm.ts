import { importPKCS8, SignJWT } from "jose";
import type { Clock } from "../../store/clock.ts";
import { fieldsOf, parsed } from "./json.ts";
import {
  ANSWER_BYTES,
  dataOf,
  PUSH_DEADLINE_MS,
  type PushAnswer,
  type PushMessage,
  type PushSender,
  retryAfterMs,
  secondsLeft,
} from "./sender.ts";

/** Of a service account, as Google gives it out. */
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
/** Before it ends, a new access token is asked for. */
const EARLY_MS = 300_000;

/** Google's push service by its HTTP v1 API, as a service account (OAuth 2, RFC 7523). */
export function createFcm(
  { projectId, clientEmail, privateKey, tokenUrl }: FcmSettings,
  clock: Clock,
  { url = "https://fcm.googleapis.com" }: { url?: string } = {},
): PushSender {
  let access: { token: Promise<string>; until: number } | null = null;
  const closing = new AbortController();
  const signal = () => AbortSignal.any([closing.signal, AbortSignal.timeout(PUSH_DEADLINE_MS)]);

  async function ask(address: string, headers: Record<string, string>, body: string): Promise<Said> {
    const answer = await fetch(address, {
      method: "POST",
      headers,
      body,
      redirect: "error",
      signal: signal(),
    });
    const retryAfter = answer.headers.get("retry-after");
    return { status: answer.status, retryAfter, said: await readJson(answer) };
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
    const { status, said } = await ask(tokenUrl, type, form.toString());
    const token = fieldsOf(said).access_token;
    if (status !== 200 || typeof token !== "string") throw new Error(`FCM gave no access token: ${status}`);
    return token;
  }

  async function accessToken(): Promise<string> {
    const now = clock.now();
    if (!access || access.until - now < EARLY_MS || access.until - now > 2 * HOUR_SECONDS * 1_000) {
      const token = newToken(now);
      const begun = { token, until: now + HOUR_SECONDS * 1_000 };
      access = begun;
      token.catch(() => {
        if (access === begun) access = null;
      });
    }
    return access.token;
  }

  return {
    async send(token, message) {
      const headers = {
        authorization: `Bearer ${await accessToken()}`,
        "content-type": "application/json",
      };
      const body = JSON.stringify({ message: messageOf(token, message, clock.now()) });
      const said = await ask(`${url}/v1/projects/${projectId}/messages:send`, headers, body);
      if (said.status === 401) access = null;
      return answerOf(said, clock.now());
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
      ...{ collapse_key: collapseId, priority: "HIGH", ttl: `${ttl}s` },
      // A second one of the same tag replaces the first.
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

type Said = { status: number; retryAfter: string | null; said: unknown };

function answerOf({ status, retryAfter, said }: Said, now: number): PushAnswer {
  if (status === 200) return { outcome: "taken" };
  const error = fieldsOf(said).error;
  const codes = listOf(fieldsOf(error).details).map((detail) => fieldsOf(detail).errorCode);
  const code = codes.find((one) => typeof one === "string") ?? fieldsOf(error).status;
  // Not each 404 and mismatch: a wrong account or project here would cost every device.
  if (code === "UNREGISTERED" || namesToken(error)) return { outcome: "gone" };
  const why = `FCM answered ${status} ${String(code ?? "").slice(0, 40)}`.trim();
  if (status === 401 || status === 429 || status >= 500)
    return { outcome: "later", why, afterMs: retryAfterMs(retryAfter, now) };
  return { outcome: "refused", why, isOurs: true };
}

/** A token that isn't one is told as a wrong field. */
const namesToken = (error: unknown): boolean =>
  listOf(fieldsOf(error).details)
    .flatMap((detail) => listOf(fieldsOf(detail).fieldViolations))
    .some((violation) => fieldsOf(violation).field === "message.token");

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The beginning of an answer; null when that is no JSON. */
async function readJson(answer: Response): Promise<unknown> {
  let text = "";
  const decoder = new TextDecoder();
  if (answer.body)
    for await (const chunk of answer.body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > ANSWER_BYTES) break;
    }
  return parsed(text);
}
