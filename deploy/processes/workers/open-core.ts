import type { OauthSettings } from "../../../actors/accounts/oauth/provider.ts";
import { openOrigins } from "../../../actors/accounts/profile/origins.ts";
import { HOOK_METRICS } from "../../../actors/hooks/metrics.ts";
import { applicationOf } from "../../../actors/live/ingest/ingest.ts";
import { createNginxRtmpControl } from "../../../actors/live/ingest/media-control.ts";
import type { MediaServiceSettings } from "../../../actors/live/playback/media-service.ts";
import { createSmtpTransport } from "../../../actors/mail/smtp.ts";
import { createPushSenders, type PushSettings } from "../../../actors/notifications/push/senders.ts";
import type { Audit } from "../../../base/audit.ts";
import { processClock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Meter } from "../../../base/metrics.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import { PEER_DEADLINES_MS } from "../../../base/peer-deadlines.ts";
import { createClockWatch } from "../../../store/clocks/clock-watch.ts";
import { connectForMaintenance, connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { openRedis, queueRedis } from "../../../store/redis/open.ts";
import type { Config } from "../config/config.ts";
import { REFUSAL_METRICS, type RefusalMetrics } from "../metrics/metrics.ts";
import type { Lifecycle } from "../process/lifecycle.ts";
import { completeSchema } from "../schema/complete-schema.ts";
import { schemaComplete } from "../schema/schema-wait.ts";
import { type Core, createCore } from "./core.ts";
import { fileStoreOf } from "./files.ts";
import { masterKeysOf } from "./master-keys.ts";
import { paymentsOf } from "./payment-platforms.ts";

const NEVER = new AbortController().signal;

type Opened = {
  mongo: Mongo;
  core: Core;
  blockingRedis(): RedisConnection;
  /** Another connection to MongoDB, for operations that take longer than requests may wait. */
  maintenanceMongo(): Promise<Mongo>;
  /** Counts this worker's own refusals; rooms count theirs themselves. */
  refusals: RefusalMetrics["refusals"];
};

/** Connects a worker to both stores and starts the domain on them; `lifecycle` closes all of it. */
export async function openCore(deps: {
  config: Config;
  log: Log;
  audit: Audit;
  lifecycle: Lifecycle;
  meter: Meter;
  /** See `connectMongo`. */
  poolWaitMs?: number;
  /** Called every few seconds while the database's schema is incomplete; null: it is completed here. */
  waiting: (() => void) | null;
}): Promise<Opened> {
  const { config, log, audit, lifecycle, meter, waiting } = deps;
  const { refusals } = meter.record(REFUSAL_METRICS);
  const { alerts } = meter.record(HOOK_METRICS);
  const redisOutage = createOutageLog(log, "redis connection");
  const redisEvents = { url: config.redis.url, onError: redisOutage.failed, onReady: redisOutage.succeeded };
  const mongo = await lifecycle.start(
    "mongo",
    () =>
      connectMongo({
        url: config.mongo.url,
        database: config.mongo.database,
        selectionTimeoutMs: 3_000,
        maxPoolSize: 50,
        ...(deps.poolWaitMs === undefined ? {} : { poolWaitMs: deps.poolWaitMs }),
      }),
    (connected) => connected.close(),
  );
  const redis = await lifecycle.start(
    "redis",
    () => openRedis({ ...redisEvents, deadlineMs: PEER_DEADLINES_MS.redisCommand }),
    (connection) => connection.disconnect(),
  );
  await followStores({ lifecycle, mongo, redis, log });
  if (waiting) await schemaComplete(config.mongo, { log, waiting });
  else await completeSchema({ mongo: config.mongo, log, report: () => undefined, signal: NEVER });
  const core = await lifecycle.start(
    "core",
    async () => {
      const made = createCore({
        mongo,
        redis,
        log,
        audit,
        masterKey: masterKeysOf(config),
        ingestUrl: config.ingest.url,
        paymentSettings: paymentsOf(config),
        onAlert: (source, what) => alerts(1, { source, what }),
        publicUrl: config.publicUrl,
        instanceName: config.instance.name,
        signUpMode: config.instance.signUp,
        allowedOrigins: config.http.allowedOrigins,
        ...(config.originsFile === null ? {} : { originOf: openOrigins(config.originsFile) }),
        mailSettings: {
          transport:
            config.mail.smtpUrl &&
            createSmtpTransport({ url: config.mail.smtpUrl.reveal(), from: config.mail.from }),
          linksUrl: config.publicUrl,
        },
        files: await fileStoreOf(config.files),
        oauthSettings: oauthOf(config),
        waitsForMedia: config.media.sendsHooks,
        edge: {
          url: config.edge.url,
          signingKeys: config.edge.keys.map((key) => key.reveal()),
          hasLowLatency: config.edge.hasLowLatency,
        },
        ...(config.media.controlUrl === null
          ? {}
          : {
              mediaControl: createNginxRtmpControl({
                url: config.media.controlUrl,
                application: applicationOf(config.ingest.url),
              }),
            }),
        mediaServiceSettings: mediaServiceOf(config),
        pushSenders: createPushSenders(pushOf(config), processClock),
        meter,
        onSendRefused: (code) => refusals(1, { component: "admission", operation: "send", code }),
      });
      await made.start();
      return made;
    },
    (made) => made.stop(),
  );
  return {
    mongo,
    core,
    blockingRedis: () => queueRedis(redisEvents),
    maintenanceMongo: () => connectForMaintenance(config.mongo),
    refusals,
  };
}

function mediaServiceOf({ media, secrets }: Config): MediaServiceSettings | null {
  const [signing] = secrets.mediaRequests;
  return media.url === null || !signing ? null : { url: media.url, requestSecret: signing.reveal() };
}

const pushOf = ({ push: { vapid, apns, fcm } }: Config): PushSettings => ({
  webPush: vapid && { ...vapid, privateKey: vapid.privateKey.reveal() },
  apns: apns && { ...apns, key: apns.key.reveal() },
  fcm: fcm && { ...fcm, privateKey: fcm.privateKey.reveal() },
});

const oauthOf = ({ oauth }: Config): OauthSettings => ({
  returnUrls: oauth.returnUrls,
  providers: oauth.providers.map((provider) => ({
    ...provider,
    clientSecret: provider.clientSecret?.reveal() ?? null,
  })),
});

/** Before anything is written that has a time. */
async function followStores({
  lifecycle,
  mongo: { db },
  redis,
  log,
}: {
  lifecycle: Lifecycle;
  mongo: Mongo;
  redis: RedisConnection;
  log: Log;
}): Promise<void> {
  const watch = createClockWatch({ clock: processClock, db, redis, log });
  await lifecycle.start(
    "clock watch",
    () => watch.start(),
    () => watch.stop(),
  );
}
