import { generateKeyPairSync } from "node:crypto";
import webPush from "web-push";
import { createProviderClient } from "../../../../actors/accounts/oauth/provider-client.ts";
import { createNginxRtmpControl } from "../../../../actors/live/ingest/media-control.ts";
import { createMediaService } from "../../../../actors/live/playback/media-service.ts";
import { createSmtpTransport } from "../../../../actors/mail/smtp.ts";
import { createStripePlatform } from "../../../../actors/monetization/payments/stripe-platform.ts";
import { createApns } from "../../../../actors/notifications/push/apns.ts";
import { createFcm } from "../../../../actors/notifications/push/fcm.ts";
import type { PushSender } from "../../../../actors/notifications/push/sender.ts";
import { createWebPush } from "../../../../actors/notifications/push/web-push.ts";
import { newId } from "../../../../base/ids.ts";
import { PEER_DEADLINES_MS } from "../../../../base/peer-deadlines.ts";
import { createS3Store } from "../../../../store/files/s3.ts";
import { standingClock } from "../../../support/clock.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { newBrowser } from "../../notifications/push/browser.ts";
import { CERTIFICATE } from "../../notifications/push/certificate.ts";
import { type FaultyServer, openHttpServer, openSmtpServer } from "./faulty-server.ts";

type Peer = {
  deadlineMs: number;
  /** The status alone is an answer, so that one without an end is good. */
  needsStatusOnly?: true;
  open(): Promise<{ server: FaultyServer; use(): Promise<unknown>; close?(): void }>;
};

/** For specs shorter than a mail's 40 s; the pauses between a server's answers have other timeouts. */
const SMTP_DEADLINE_MS = 4_000;

const clock = standingClock();
const pemOf = (type: "rsa" | "ec") => {
  const { privateKey } =
    type === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2_048 })
      : generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return String(privateKey.export({ type: "pkcs8", format: "pem" }));
};
const json = (body: object, status = 200) => ({ status, body: JSON.stringify(body) });

const send = (sender: PushSender, token: string) => async () => {
  const { outcome } = await sender.send(token, {
    title: "Live now",
    body: "ana is live.",
    link: null,
    type: "stream_live",
    count: 1,
    collapseId: "push-7",
    usefulUntil: new Date(clock.now() + 60_000),
  });
  if (outcome !== "taken") throw new Error(`the push was ${outcome}`);
};

async function openStripe() {
  const session = { url: "https://pay.example", client_secret: "s", expires_at: 1_900_000_000 };
  const server = await openHttpServer("http", () => json(session));
  const stripe = createStripePlatform({
    secretKey: "sk_test_of_specs",
    webhookSecrets: ["whsec_spec"],
    returnUrl: "https://example.com/back",
    server: { host: "127.0.0.1", port: server.port, protocol: "http" },
  });
  return { server, stripe };
}

async function openS3() {
  const server = await openHttpServer("http", () => ({ status: 200, body: "bytes" }));
  const store = createS3Store({
    endpoint: `http://127.0.0.1:${server.port}`,
    region: "us-east-1",
    bucket: "pictures",
    accessKeyId: "spec",
    secretAccessKey: "spec",
  });
  return { server, store };
}

const FILE = `${"a".repeat(64)}.webp`;

/** Each other machine that the service sends requests to, but its stores, with one use of it. */
export const PEERS: Record<string, Peer> = {
  "the mail server": {
    deadlineMs: SMTP_DEADLINE_MS,
    async open() {
      const server = await openSmtpServer();
      const transport = createSmtpTransport({
        url: `smtp://127.0.0.1:${server.port}`,
        from: { name: "livecore", address: "no-reply@livecore.example" },
        deadlineMs: SMTP_DEADLINE_MS,
      });
      const mail = { to: "ana@example.com", subject: "Hi", text: "Hi", html: "<p>Hi</p>", date: new Date() };
      const use = () => transport.send({ ...mail, messageId: `<${newId()}@livecore.example>` });
      return { server, use, close: transport.close };
    },
  },
  "a browser's push service": {
    deadlineMs: PEER_DEADLINES_MS.push,
    needsStatusOnly: true,
    async open() {
      const server = await openHttpServer("https", () => ({ status: 201, body: "" }));
      const { privateKey } = webPush.generateVAPIDKeys();
      const sender = createWebPush({ privateKey, subject: "mailto:operator@live.example" }, clock, {
        mayName: () => true,
        addressesOf: async () => [{ address: "127.0.0.1", family: 4 }],
        mayConnect: () => true,
        connection: { ca: CERTIFICATE.cert },
      });
      const { token } = newBrowser(`https://localhost:${server.port}/p/one`);
      return { server, use: send(sender, token), close: sender.close };
    },
  },
  APNs: {
    deadlineMs: PEER_DEADLINES_MS.push,
    needsStatusOnly: true,
    async open() {
      const server = await openHttpServer("http2", () => ({ status: 200, body: "" }));
      const settings = { key: pemOf("ec"), keyId: "A", teamId: "B", topic: "tv.example", isSandbox: false };
      const url = `https://localhost:${server.port}`;
      const sender = createApns(settings, clock, { url, ca: CERTIFICATE.cert });
      return { server, use: send(sender, "ab12".repeat(16)), close: sender.close };
    },
  },
  FCM: {
    deadlineMs: PEER_DEADLINES_MS.push,
    async open() {
      const server = await openHttpServer("http", () => json({ access_token: "token", name: "message" }));
      const url = `http://127.0.0.1:${server.port}`;
      const account = { projectId: "spec", clientEmail: "push@spec.example", privateKey: pemOf("rsa") };
      const sender = createFcm({ ...account, tokenUrl: `${url}/token` }, clock, { url });
      return { server, use: send(sender, "dW9yQk3sT2m:APA91bVx8nLh5jRz0cEa7pGf4iK"), close: sender.close };
    },
  },
  "the file store, for a write": {
    deadlineMs: PEER_DEADLINES_MS.s3,
    async open() {
      const { server, store } = await openS3();
      return { server, use: () => store.put(FILE, Buffer.from("bytes")) };
    },
  },
  "the file store, for a read": {
    deadlineMs: PEER_DEADLINES_MS.s3,
    async open() {
      const { server, store } = await openS3();
      return { server, use: () => store.read(FILE) };
    },
  },
  "a sign-in provider": {
    deadlineMs: PEER_DEADLINES_MS.oauthRequest,
    async open() {
      const server = await openHttpServer("http", () =>
        json({ access_token: "token", token_type: "bearer", id: "7" }),
      );
      const at = `http://127.0.0.1:${server.port}`;
      const fields = { subject: "id", email: null, emailVerified: null };
      const client = createProviderClient(
        {
          id: "spec",
          name: "Spec",
          kind: "oauth",
          issuer: "spec",
          clientId: "id",
          clientSecret: "secret",
          clientAuth: "post",
          responseMode: "query",
          scopes: [],
          parameters: {},
          emailDomains: null,
          nativeRedirectUris: [],
          endpoints: { authorization: `${at}/page`, token: `${at}/token`, userinfo: `${at}/me`, fields },
        },
        { log: quietLog() },
      );
      const url = new URL("https://live.example/back?code=c&state=s");
      const use = () => client.profile({ url, state: "s", verifier: "v".repeat(43), nonce: null });
      return { server, use };
    },
  },
  "the RTMP server's control": {
    deadlineMs: PEER_DEADLINES_MS.rtmpControl,
    needsStatusOnly: true,
    async open() {
      const server = await openHttpServer("http", () => ({ status: 200, body: "1" }));
      const url = `http://127.0.0.1:${server.port}/control`;
      const control = createNginxRtmpControl({ url, application: "ingest" });
      return { server, use: () => control.dropPublisher({ streamId: newId(), clientId: "7" }) };
    },
  },
  "the media service": {
    deadlineMs: PEER_DEADLINES_MS.mediaService,
    needsStatusOnly: true,
    async open() {
      const server = await openHttpServer("http", () => json({}, 202));
      const url = `http://127.0.0.1:${server.port}/hooks`;
      const service = createMediaService({ url, requestSecret: "whsec_c3BlYyBzaWduaW5nIGtleQ==" }, clock);
      const of = { streamId: newId(), takenUntil: new Date(clock.now()), hookId: newId() };
      return { server, use: () => service.deletePictures(of) };
    },
  },
  "the payment platform, for a checkout": {
    deadlineMs: PEER_DEADLINES_MS.payment,
    async open() {
      const { server, stripe } = await openStripe();
      const order = { checkoutId: newId(), subscriptionId: newId(), tipId: null, isRecurring: true };
      const price = {
        title: "Subscription",
        amountCents: 499,
        currency: "USD",
        confirm: "redirect",
      } as const;
      return { server, use: () => stripe.openCheckout({ ...order, ...price }) };
    },
  },
  "the payment platform, for a call": {
    deadlineMs: 2 * PEER_DEADLINES_MS.payment,
    async open() {
      const { server, stripe } = await openStripe();
      return { server, use: () => stripe.call(newId(), { kind: "stop", platformId: "sub_1" }) };
    },
  },
};
