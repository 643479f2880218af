import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from "node:http2";
import { importPKCS8, SignJWT } from "jose";
import type { Clock } from "../../../base/clock.ts";
import { MINUTE_MS } from "../../../base/durations.ts";
import { PEER_DEADLINES_MS } from "../../../base/peer-deadlines.ts";
import { fieldsOf, parseJsonOrNull } from "./json.ts";
import {
  ANSWER_BYTES,
  dataOf,
  type PushAnswer,
  type PushMessage,
  type PushSender,
  retryAfterMs,
} from "./sender.ts";

export type ApnsSettings = {
  /** The signing key as Apple issues it: PKCS #8, PEM. */
  key: string;
  keyId: string;
  teamId: string;
  /** The app's bundle id. */
  topic: string;
  isSandbox: boolean;
};

/** Lifetime of a provider token. Apple accepts one for an hour, and rejects renewals more often than every 20 minutes. */
const TOKEN_MS = 40 * MINUTE_MS;

/** Reasons to remove the device. "DeviceTokenNotForTopic" isn't one: a misconfigured topic would remove every device. */
const GONE = new Set(["Unregistered", "BadDeviceToken", "ExpiredToken"]);
/** Apple answers 403 with these reasons; the next try signs a new provider token. */
const STALE = new Set(["ExpiredProviderToken", "InvalidProviderToken"]);

const hostOf = ({ isSandbox }: ApnsSettings) =>
  isSandbox ? "https://api.sandbox.push.apple.com" : "https://api.push.apple.com";

/** Apple's push service: HTTP/2 over one connection, authenticated by a provider token that we sign. */
export function createApns(
  settings: ApnsSettings,
  clock: Clock,
  { url = hostOf(settings), ca }: { url?: string; ca?: string } = {},
): PushSender {
  const { key, keyId, teamId, topic } = settings;
  let session: ClientHttp2Session | null = null;
  let signed: { token: Promise<string>; at: number } | null = null;

  async function sign(at: number): Promise<string> {
    return new SignJWT()
      .setProtectedHeader({ alg: "ES256", kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(Math.floor(at / 1_000))
      .sign(await importPKCS8(key, "ES256"));
  }

  function bearer(): Promise<string> {
    const now = clock.now();
    if (!signed || Math.abs(now - signed.at) > TOKEN_MS) signed = { token: sign(now), at: now };
    return signed.token;
  }

  function connection(): ClientHttp2Session {
    if (session && !session.closed && !session.destroyed) return session;
    const opened = connect(url, ca === undefined ? {} : { ca });
    const forget = () => {
      if (session === opened) session = null;
    };
    // Requests in flight on it report their failure themselves.
    opened.on("error", forget);
    opened.on("goaway", forget);
    opened.on("close", forget);
    // An idle connection doesn't keep the process alive.
    opened.unref();
    session = opened;
    return opened;
  }

  function request(path: string, headers: Record<string, string>, body: string): Promise<ApnsResponse> {
    const on = connection();
    return new Promise((resolve, reject) => {
      const stream = on.request({ ":method": "POST", ":path": path, ...headers });
      let status = 0;
      let retryAfter: string | null = null;
      let text = "";
      const timer = setTimeout(() => {
        // The status alone is an answer.
        if (status === 0) reject(new Error("APNs didn't answer in time"));
        stream.close(constants.NGHTTP2_CANCEL);
        // A hanging connection would block the requests that follow.
        on.destroy();
      }, PEER_DEADLINES_MS.push);
      stream.on("response", (response: IncomingHttpHeaders & { ":status"?: number }) => {
        status = response[":status"] ?? 0;
        retryAfter = response["retry-after"] ?? null;
      });
      stream.on("data", (chunk: Buffer) => {
        if (text.length < ANSWER_BYTES) text += chunk.toString("utf8", 0, ANSWER_BYTES);
      });
      stream.on("error", () => undefined);
      stream.on("close", () => {
        clearTimeout(timer);
        if (status === 0) reject(new Error("APNs wasn't reached"));
        else resolve({ status, retryAfter, reason: reasonIn(text) });
      });
      stream.end(body);
    });
  }

  return {
    async send(token, message) {
      if (!isApnsToken(token)) return { outcome: "gone" };
      const headers = {
        authorization: `bearer ${await bearer()}`,
        "apns-topic": topic,
        "apns-push-type": "alert",
        "apns-priority": "10",
        "apns-expiration": String(Math.floor(message.usefulUntil.getTime() / 1_000)),
        "apns-collapse-id": message.collapseId,
        "content-type": "application/json",
      };
      const response = await request(`/3/device/${token}`, headers, payloadOf(message));
      if (STALE.has(response.reason)) signed = null;
      return answerOf(response, clock.now());
    },
    close: () => session?.destroy(),
  };
}

/** Hexadecimal; Apple may change the length. */
export const isApnsToken = (token: string): boolean => /^[0-9a-fA-F]{32,400}$/.test(token);

const payloadOf = (message: PushMessage): string =>
  JSON.stringify({
    aps: { alert: { title: message.title, body: message.body }, sound: "default", "thread-id": message.type },
    ...dataOf(message),
  });

type ApnsResponse = { status: number; retryAfter: string | null; reason: string };

const reasonIn = (text: string): string => String(fieldsOf(parseJsonOrNull(text)).reason ?? "");

function answerOf({ status, retryAfter, reason }: ApnsResponse, now: number): PushAnswer {
  if (status === 200) return { outcome: "taken" };
  if (status === 410 || GONE.has(reason)) return { outcome: "gone" };
  const why = `APNs answered ${status} ${reason.slice(0, 40)}`.trim();
  if (status === 429 || status >= 500 || STALE.has(reason))
    return { outcome: "later", why, afterMs: retryAfterMs(retryAfter, now) };
  return { outcome: "refused", why, isOurs: true };
}
