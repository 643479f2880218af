import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from "node:http2";
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
} from "./sender.ts";

export type ApnsSettings = {
  /** The signing key as Apple gives it out: PKCS #8, PEM. */
  key: string;
  keyId: string;
  teamId: string;
  /** The app's bundle id. */
  topic: string;
  isSandbox: boolean;
};

/** Apple takes a token for an hour, and refuses new ones that come more often than every 20 minutes. */
const TOKEN_MS = 40 * 60_000;

/** Not a token for another topic: a wrong topic here would cost every device. */
const GONE = new Set(["Unregistered", "BadDeviceToken", "ExpiredToken"]);
/** Apple answers 403 with them; the next try comes with another token. */
const STALE = new Set(["ExpiredProviderToken", "InvalidProviderToken"]);

const hostOf = ({ isSandbox }: ApnsSettings) =>
  isSandbox ? "https://api.sandbox.push.apple.com" : "https://api.push.apple.com";

/** Apple's push service: HTTP/2 over one connection, with a token that we sign. */
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
    // What is under way on it is told by itself.
    opened.on("error", forget);
    opened.on("goaway", forget);
    opened.on("close", forget);
    // A process that has nothing else to do ends.
    opened.unref();
    session = opened;
    return opened;
  }

  function ask(path: string, headers: Record<string, string>, body: string): Promise<Said> {
    const on = connection();
    return new Promise((resolve, reject) => {
      const stream = on.request({ ":method": "POST", ":path": path, ...headers });
      const timer = setTimeout(() => {
        reject(new Error("APNs didn't answer in time"));
        stream.close(constants.NGHTTP2_CANCEL);
        // A connection that hangs would hold up what comes next.
        on.destroy();
      }, PUSH_DEADLINE_MS);
      let status = 0;
      let retryAfter: string | null = null;
      let text = "";
      stream.on("response", (said: IncomingHttpHeaders & { ":status"?: number }) => {
        status = said[":status"] ?? 0;
        retryAfter = said["retry-after"] ?? null;
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
      const said = await ask(`/3/device/${token}`, headers, payloadOf(message));
      if (STALE.has(said.reason)) signed = null;
      return answerOf(said, clock.now());
    },
    close: () => session?.destroy(),
  };
}

/** Hexadecimal, of a length that Apple may change. */
export const isApnsToken = (token: string): boolean => /^[0-9a-fA-F]{32,400}$/.test(token);

const payloadOf = (message: PushMessage): string =>
  JSON.stringify({
    aps: { alert: { title: message.title, body: message.body }, sound: "default", "thread-id": message.type },
    ...dataOf(message),
  });

type Said = { status: number; retryAfter: string | null; reason: string };

const reasonIn = (text: string): string => String(fieldsOf(parsed(text)).reason ?? "");

function answerOf({ status, retryAfter, reason }: Said, now: number): PushAnswer {
  if (status === 200) return { outcome: "taken" };
  if (status === 410 || GONE.has(reason)) return { outcome: "gone" };
  const why = `APNs answered ${status} ${reason.slice(0, 40)}`.trim();
  if (status === 429 || status >= 500 || STALE.has(reason))
    return { outcome: "later", why, afterMs: retryAfterMs(retryAfter, now) };
  return { outcome: "refused", why, isOurs: true };
}
