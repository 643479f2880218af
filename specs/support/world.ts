import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { OauthSettings } from "../../actors/accounts/oauth/provider.ts";
import type { OriginOf } from "../../actors/accounts/profile/origins.ts";
import type { Edge } from "../../actors/live/playback/edge-links.ts";
import { createSmtpTransport } from "../../actors/mail/smtp.ts";
import { createDevelopmentPlatform } from "../../actors/monetization/payments/development-platform.ts";
import type { PaymentPlatform } from "../../actors/monetization/payments/platform.ts";
import type { PushSenders } from "../../actors/notifications/push/senders.ts";
import type { Development } from "../../api/discovery/site/development.ts";
import { createRequestSlots } from "../../api/http/request-slots.ts";
import { DEFAULT_INSTANCE, type InstanceSettings } from "../../api/system/instance/instance.ts";
import { createAudit } from "../../base/audit.ts";
import type { Log } from "../../base/log.ts";
import { observePorts } from "../../contract/coverage/recorder.ts";
import { createMailboxApp } from "../../deploy/development/mail/mailbox-app.ts";
import { startMailSink } from "../../deploy/development/mail/sink.ts";
import { createDevelopmentCheckout } from "../../deploy/development/payments/checkout-app.ts";
import { Secret } from "../../deploy/processes/config/secret.ts";
import { createLifecycle, type Lifecycle } from "../../deploy/processes/process/lifecycle.ts";
import { createLogger } from "../../deploy/processes/process/logger.ts";
import type { Core } from "../../deploy/processes/workers/core.ts";
import { paymentsBy } from "../../deploy/processes/workers/payment-platforms.ts";
import { runJobs } from "../../deploy/processes/workers/run-jobs.ts";
import { serveApi } from "../../deploy/processes/workers/serve-api.ts";
import { serveSockets } from "../../deploy/processes/workers/serve-sockets.ts";
import type { GatewayLimits } from "../../realtime/gateway/socket/limits.ts";
import { mailsCollection } from "../../store/mongo/notifications/mails.ts";
import { createApi } from "./api.ts";
import { type MovableClock, movableClock } from "./clock.ts";
import { MASTER_KEY, specCore } from "./core.ts";
import { PEER_SECRETS, REQUEST_SECRET, SYSTEM_KEYS, WEBHOOK_SECRETS } from "./peer-secrets.ts";
import { quietLog } from "./quiet-log.ts";
import { specSocketFolder } from "./socket-folder.ts";
import { completed, openStores, type Stores } from "./stores.ts";

export type World = Awaited<ReturnType<typeof openWorld>>;

const PRICES = { currency: "USD", tierCents: { 1: 499, 2: 999, 3: 2_499 } };

/** As of specCore (core.ts): browsers reach the world at its `baseUrl`. */
const PUBLIC_URL = "https://livecore.example";
const MAIL_FROM = { name: "livecore", address: "no-reply@livecore.example" };

/**
 * The whole service in this process, on real stores and real ports: REST, sockets (through the public port's splice, as in
 * development) and jobs. Every response is validated against the contract. The caller closes it.
 */
export async function openWorld(
  options: {
    clock?: MovableClock;
    /** Default: a silent logger. */
    log?: Log;
    /** RATE_LIMIT_FACTOR; default 1,000, so that only specs of the limits reach them. */
    rateLimitFactor?: number;
    /** API_CONCURRENCY. */
    requestSlots?: number;
    gatewayLimits?: Partial<GatewayLimits>;
    allowedOrigins?: string[];
    trustedProxies?: string[];
    /** Default: true, as outside production. */
    plainCookiesHere?: boolean;
    cookieDomain?: string;
    /** Default: the development platform, whose page is served in any case. */
    platform?: PaymentPlatform;
    /** Default: no mails are sent; they wait, as for a worker with a mail server. */
    sendsMails?: boolean;
    edge?: Edge;
    /** What the front page offers developers; default: nothing, as in production. */
    development?: Development;
    oauth?: OauthSettings;
    /** Name, logo, accent, pages and who may sign up; default: as without any setting. */
    instance?: Partial<InstanceSettings>;
    originOf?: OriginOf;
    /** MEDIA_HOOKS=yes. */
    waitsForMedia?: boolean;
    /** MEDIA_URL; default: an address where nobody listens. Null: none. */
    mediaUrl?: string | null;
    /** Default: none. */
    pushSenders?: PushSenders;
    /** Pass `openOwnStores` in specs that name users or count documents. */
    stores?: () => Promise<Stores>;
  } = {},
) {
  const clock = options.clock ?? movableClock();
  const log = options.log ?? quietLog();
  const audited: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void audited.push(JSON.parse(line)) };
  const audit = createAudit(createLogger({ level: "info", readable: false, process: "spec", destination }));
  const lifecycle = createLifecycle(log);
  const stores = await lifecycle.start("stores", options.stores ?? (() => openStores()), (opened) =>
    opened.close(),
  );
  await completed(stores.mongo);
  // Those that worlds of before have left waiting would come first.
  if (options.sendsMails) await mailsCollection.in(stores.mongo.db).deleteMany({ state: "waiting" });
  const ingest = { url: "rtmp://ingest.example/live", networks: [] };
  const instance = { ...DEFAULT_INSTANCE, ...options.instance };
  const alerts: string[] = [];
  const { mediaUrl = "http://127.0.0.1:9/clips" } = options;
  const ports = { api: 0, checkout: 0 };
  const payments = createDevelopmentPlatform({
    pageUrl: () => `http://127.0.0.1:${ports.checkout}`,
    hookUrl: () => `http://127.0.0.1:${ports.api}/v1/webhooks/billing`,
    systemKey: SYSTEM_KEYS.billing,
    webhookSecret: WEBHOOK_SECRETS.billing[0],
    now: clock.now,
  });
  const checkout = await lifecycle.start(
    "checkout",
    () => listening(createDevelopmentCheckout(payments, { publicUrl: PUBLIC_URL })),
    (page) => page.close(),
  );
  ports.checkout = checkout.port;
  const mail = options.sendsMails ? await startMail(lifecycle) : null;
  const newCore = async () => {
    const made = specCore(stores, {
      log,
      audit,
      ingestUrl: ingest.url,
      allowedOrigins: options.allowedOrigins ?? [],
      paymentSettings: paymentsBy(options.platform ?? payments, {
        publicUrl: PUBLIC_URL,
        payments: { ...PRICES, returnUrl: PUBLIC_URL },
      }),
      onAlert: (_source, what) => void alerts.push(what),
      mailSettings: {
        transport: mail ? createSmtpTransport({ url: mail.smtpUrl, from: MAIL_FROM }) : null,
        linksUrl: PUBLIC_URL,
      },
      waitsForMedia: options.waitsForMedia ?? false,
      instanceName: instance.name,
      signUpMode: instance.signUp,
      mediaServiceSettings: mediaUrl === null ? null : { url: mediaUrl, requestSecret: REQUEST_SECRET },
      ...(options.pushSenders ? { pushSenders: options.pushSenders } : {}),
      ...(options.edge ? { edge: options.edge } : {}),
      ...(options.oauth ? { oauthSettings: options.oauth } : {}),
      ...(options.originOf ? { originOf: options.originOf } : {}),
      // Without a clock from the spec, rooms and presence use the Redis server's time.
      ...(options.clock ? { clock } : {}),
    });
    await made.start();
    return made;
  };
  const core = await lifecycle.start("core", newCore, (made) => made.stop());
  const http = {
    host: "127.0.0.1",
    port: 0,
    trustedProxies: options.trustedProxies ?? [],
    allowedOrigins: options.allowedOrigins ?? [],
    cookieDomain: options.cookieDomain ?? null,
    plainCookiesHere: options.plainCookiesHere ?? true,
  };
  const limits = { factor: options.rateLimitFactor ?? 1_000 };
  const sockets = {
    host: http.host,
    port: 0,
    trustedProxies: http.trustedProxies,
    allowedOrigins: http.allowedOrigins,
    sendBufferBytes: 512 * 1024,
  };
  const socketFolder = await lifecycle.start("socket folder", specSocketFolder, (folder) => folder.remove());
  const newGateway = (name: string, of: Core) =>
    lifecycle.start(
      name,
      () =>
        serveSockets({
          core: of,
          config: { realtime: sockets, limits },
          socketFolder: socketFolder.path,
          ...(options.gatewayLimits ? { limits: options.gatewayLimits } : {}),
        }),
      (served) => served.stop(),
    );
  const gateway = await newGateway("sockets", core);
  const api = await lifecycle.start(
    "http",
    () =>
      serveApi({
        core,
        config: {
          http,
          limits,
          ingest,
          instance,
          apps: {
            ios: { oldest: [1, 4, 0], latest: [2, 1, 0] },
            android: { oldest: [0, 0, 0], latest: [0, 0, 0] },
          },
          secrets: {
            ...PEER_SECRETS,
            masterKey: new Secret(MASTER_KEY),
            oldMasterKeys: [],
          },
        },
        socketFolder: socketFolder.path,
        development: options.development ?? null,
        ...(options.requestSlots ? { slots: createRequestSlots({ slots: options.requestSlots, log }) } : {}),
        checkResponses: true,
        // Cached answers expire by this clock, which any spec may move.
        now: clock.now,
      }),
    (served) => served.drain({ lingerMs: 0, finishMs: 2_000, spreadMs: 0 }),
  );
  ports.api = api.port;
  const { blockingRedis, maintenanceMongo } = stores;
  const archiveDb = stores.mongo.db;
  const jobs = await runJobs({ core, lifecycle, blockingRedis, maintenanceMongo, archiveDb });
  const stopObserving = observePorts(api.port, gateway.port);
  const baseUrl = `http://127.0.0.1:${api.port}`;
  return {
    baseUrl,
    /** URL of the mail server; null without one. */
    smtpUrl: mail?.smtpUrl ?? null,
    /** For sockets through the public port; `gateway.port` is the direct way. */
    socketUrl: `ws://127.0.0.1:${api.port}`,
    /** Of each service; `ingestKey` is the RTMP server's. */
    systemKeys: SYSTEM_KEYS,
    ingestKey: SYSTEM_KEYS.ingest,
    webhookSecrets: WEBHOOK_SECRETS,
    requestSecret: REQUEST_SECRET,
    /** All paths that REST and pages route. */
    paths: api.paths,
    /** The development payment platform, whose page has buttons. */
    payments,
    /** The mailbox page and its JSON: see `mailboxOf` of support/mailbox.ts. Null without mail server. */
    mailboxUrl: mail?.mailboxUrl ?? null,
    /** Alerts for operators. */
    alerts,
    config: { http },
    api: createApi(baseUrl),
    core,
    gateway,
    jobs,
    clock,
    log,
    /** Starts the gateway of another realtime worker, with a core of its own on the same stores. */
    async anotherGateway() {
      const its = await lifecycle.start("another core", newCore, (made) => made.stop());
      return newGateway("another worker's sockets", its);
    },
    /** The entries of the audit log. */
    audited,
    /** Those of an event with that `userId`, in their order. */
    auditedOf: (event: string, userId: string | null) =>
      audited.filter((line) => line.event === event && line.userId === userId),
    /** Throws when a part didn't close cleanly, which means that something was left behind. */
    async close(): Promise<void> {
      stopObserving();
      const unclean = await lifecycle.stop();
      if (unclean.length > 0) throw new Error(`These didn't close in order: ${unclean.join(", ")}`);
    },
  };
}

async function startMail(lifecycle: Lifecycle) {
  const sink = await lifecycle.start(
    "mail sink",
    () => startMailSink(),
    (started) => started.close(),
  );
  const mailbox = await lifecycle.start(
    "mailbox",
    () => listening(createMailboxApp(sink)),
    (page) => page.close(),
  );
  return { smtpUrl: sink.url, mailboxUrl: `http://127.0.0.1:${mailbox.port}` };
}

function listening(app: RequestListener): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer(app);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      const close = () =>
        new Promise<void>((closed) => {
          server.close(() => closed());
          server.closeAllConnections();
        });
      resolve({ port, close });
    });
  });
}
