import { createECDH } from "node:crypto";
import webPush from "web-push";
import type { Clock } from "../../../base/clock.ts";
import { fieldsOf, parseJsonOrNull } from "./json.ts";
import { type Answer, createPublicHttps, type HostPolicy, PUBLIC_HOSTS } from "./public-https.ts";
import {
  dataOf,
  type PushAnswer,
  type PushMessage,
  type PushSender,
  retryAfterMs,
  secondsLeft,
} from "./sender.ts";

export type WebPushSettings = {
  /** The VAPID private key: 32 bytes, base64url. */
  privateKey: string;
  /** A contact for operators of push services: a `mailto:` or https URL. */
  subject: string;
};

type WebPushSubscription = { endpoint: string; keys: { p256dh: string; auth: string } };

/** Hosts of browser vendors. Any other host may be run by anybody. */
const VENDORS =
  /^(fcm\.googleapis\.com|(.+\.)?push\.services\.mozilla\.com|.+\.push\.apple\.com|.+\.notify\.windows\.com)$/;
/** Concurrent requests to other hosts; hosts that never answer would otherwise block everybody's pushes. */
const MAX_OTHER_HOST_REQUESTS = 4;

/** Parses a browser's subscription, written by `JSON.stringify`; null for other text and for an endpoint that isn't public. */
export function subscriptionOf(
  token: string,
  { mayName }: Pick<HostPolicy, "mayName"> = PUBLIC_HOSTS,
): WebPushSubscription | null {
  const { endpoint, keys } = fieldsOf(parseJsonOrNull(token));
  const { p256dh, auth } = fieldsOf(keys);
  if (typeof endpoint !== "string" || endpoint.length > 2_048 || !URL.canParse(endpoint)) return null;
  if (!isKey(p256dh, 65) || !isKey(auth, 16) || !mayName(new URL(endpoint))) return null;
  return { endpoint, keys: { p256dh, auth } };
}

/** Whether a subscription is at a browser vendor's service. */
export function isVendor(token: string): boolean {
  const endpoint = subscriptionOf(token)?.endpoint;
  return endpoint !== undefined && VENDORS.test(new URL(endpoint).hostname);
}

/** Tokens of other services never begin with "{". */
export const isSubscription = (token: string): boolean => token.startsWith("{");

/** The `applicationServerKey` with which browsers subscribe, base64url. */
export function publicKeyOf(privateKey: string): string {
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(Buffer.from(privateKey, "base64url"));
  return pair.getPublicKey("base64url");
}

export type WebPush = PushSender & { publicKey: string };

/** Web push (RFC 8030) with VAPID (RFC 8292). The token is the subscription; the payload is encrypted for it (RFC 8291). */
export function createWebPush(
  { privateKey, subject }: WebPushSettings,
  clock: Clock,
  reach: HostPolicy = PUBLIC_HOSTS,
): WebPush {
  const publicKey = publicKeyOf(privateKey);
  const vapidDetails = { subject, privateKey, publicKey };
  const https = createPublicHttps(reach);
  let otherHostRequests = 0;

  function requestOf(subscription: WebPushSubscription, message: PushMessage) {
    const { title, body, collapseId: tag } = message;
    const payload = JSON.stringify({ title, body, tag, ...dataOf(message) });
    return webPush.generateRequestDetails(subscription, payload, {
      vapidDetails,
      TTL: secondsLeft(message, clock.now()),
      topic: tag,
      urgency: "normal",
      contentEncoding: "aes128gcm",
    });
  }

  async function sendTo(
    subscription: WebPushSubscription,
    message: PushMessage,
    isVendor: boolean,
  ): Promise<PushAnswer> {
    let request: ReturnType<typeof requestOf>;
    try {
      request = requestOf(subscription, message);
    } catch {
      // Keys that aren't points on the curve; no browser creates them.
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
      if (VENDORS.test(new URL(subscription.endpoint).hostname)) return sendTo(subscription, message, true);
      if (otherHostRequests >= MAX_OTHER_HOST_REQUESTS) return { outcome: "crowded" };
      otherHostRequests++;
      try {
        return await sendTo(subscription, message, false);
      } finally {
        otherHostRequests--;
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
