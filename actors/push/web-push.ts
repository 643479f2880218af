import { createECDH } from "node:crypto";
import webPush from "web-push";
import type { Clock } from "../../store/clock.ts";
import { fieldsOf, parsed } from "./json.ts";
import { type Answer, createPublicHttps, PUBLIC_HOSTS, type Reach } from "./public-https.ts";
import {
  dataOf,
  type PushAnswer,
  type PushMessage,
  type PushSender,
  retryAfterMs,
  secondsLeft,
} from "./sender.ts";

export type WebPushSettings = {
  /** VAPID's private key: 32 bytes, base64url. */
  privateKey: string;
  /** Whom a push service may write to: `mailto:` or https. */
  subject: string;
};

export type WebPushSubscription = { endpoint: string; keys: { p256dh: string; auth: string } };

/** Those of browsers' vendors. Any other host may be whatever a stranger has put there. */
const VENDORS =
  /^(fcm\.googleapis\.com|(.+\.)?push\.services\.mozilla\.com|.+\.push\.apple\.com|.+\.notify\.windows\.com)$/;
/** To other hosts at a time: ones that never answer would otherwise keep everybody's pushes waiting. */
const STRANGERS_AT_ONCE = 4;

/** A browser's subscription as `JSON.stringify` writes it; null for any other text, and for an endpoint that isn't public. */
export function subscriptionOf(
  token: string,
  { mayName }: Pick<Reach, "mayName"> = PUBLIC_HOSTS,
): WebPushSubscription | null {
  const { endpoint, keys } = fieldsOf(parsed(token));
  const { p256dh, auth } = fieldsOf(keys);
  if (typeof endpoint !== "string" || endpoint.length > 2_048 || !URL.canParse(endpoint)) return null;
  if (!isKey(p256dh, 65) || !isKey(auth, 16) || !mayName(new URL(endpoint))) return null;
  return { endpoint, keys: { p256dh, auth } };
}

/** Tokens of other services never begin so. */
export const isSubscription = (token: string): boolean => token.startsWith("{");

/** As browsers need it to subscribe: `applicationServerKey`, base64url. */
export function publicKeyOf(privateKey: string): string {
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(Buffer.from(privateKey, "base64url"));
  return pair.getPublicKey("base64url");
}

export type WebPush = PushSender & { publicKey: string };

/** Web push (RFC 8030) with VAPID (RFC 8292); the token is the subscription, and what is said is encrypted to it (RFC 8291). */
export function createWebPush(
  { privateKey, subject }: WebPushSettings,
  clock: Clock,
  reach: Reach = PUBLIC_HOSTS,
): WebPush {
  const publicKey = publicKeyOf(privateKey);
  const vapidDetails = { subject, privateKey, publicKey };
  const https = createPublicHttps(reach);
  let strangers = 0;

  function requestOf(subscription: WebPushSubscription, message: PushMessage) {
    const { title, body, collapseId: tag } = message;
    const payload = JSON.stringify({ title, body, tag, ...dataOf(message) });
    return webPush.generateRequestDetails(subscription, payload, {
      ...{ vapidDetails, TTL: secondsLeft(message, clock.now()) },
      ...{ topic: tag, urgency: "normal", contentEncoding: "aes128gcm" },
    });
  }

  async function ask(
    subscription: WebPushSubscription,
    message: PushMessage,
    isVendor: boolean,
  ): Promise<PushAnswer> {
    let request: ReturnType<typeof requestOf>;
    try {
      request = requestOf(subscription, message);
    } catch {
      // Keys that are no point of the curve: no browser made them.
      return { outcome: "gone" };
    }
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const body = Buffer.from(request.body ?? "");
    return answerOf(await https.post(new URL(subscription.endpoint), headers, body), isVendor, clock.now());
  }

  return {
    publicKey,
    async send(token, message) {
      const subscription = subscriptionOf(token, reach);
      if (!subscription) return { outcome: "gone" };
      if (VENDORS.test(new URL(subscription.endpoint).hostname)) return ask(subscription, message, true);
      if (strangers >= STRANGERS_AT_ONCE) return { outcome: "crowded" };
      strangers++;
      try {
        return await ask(subscription, message, false);
      } finally {
        strangers--;
      }
    },
    close: https.close,
  };
}

function answerOf({ status, retryAfter }: Answer, isVendor: boolean, now: number): PushAnswer {
  if (status >= 200 && status < 300) return { outcome: "taken" };
  if (status === 404 || status === 410) return { outcome: "gone" };
  const why = `web push answered ${status}`;
  if (status === 429 || status >= 500)
    return { outcome: "later", why, afterMs: retryAfterMs(retryAfter, now) };
  return { outcome: "refused", why, isOurs: isVendor };
}

const isKey = (value: unknown, bytes: number): value is string =>
  typeof value === "string" && /^[\w-]+=?=?$/.test(value) && Buffer.from(value, "base64url").length === bytes;
