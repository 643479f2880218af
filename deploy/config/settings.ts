import { clusterAddress } from "../../store/redis/address.ts";
import { oauthProviders, returnUrls } from "./oauth-providers.ts";
import * as push from "./push-services.ts";
import type { Schema } from "./schemas.ts";
import * as schema from "./schemas.ts";

/** One variable: the only place that knows its name, form, default and meaning. */
export type Setting<T> = {
  readonly name: string;
  readonly schema: Schema<T>;
  /** What holds when it isn't given; null: it must be given, or comes from elsewhere as `meaning` says. */
  readonly fallback: string | null;
  readonly meaning: string;
};

const setting = <T>(name: string, of: Schema<T>, fallback: string | null, meaning: string): Setting<T> => ({
  name,
  schema: of,
  fallback,
  meaning,
});

/** A number of processes, or "auto": decided from the cores of the machine. */
const workers: Schema<number | "auto"> = {
  shape: "auto or 1 to 64",
  parse: (value) => (value === "auto" ? "auto" : schema.integer(1, 64).parse(value)),
};

/** Of a server or a cluster; all hosts of a cluster are looked at. */
const redisUrl = schema.url("redis", "rediss", "redis+cluster", "rediss+cluster");
const redisAddress: Schema<string> = {
  shape: redisUrl.shape,
  parse(value) {
    clusterAddress(redisUrl.parse(value));
    return value;
  },
};

export const SETTINGS = {
  environment: setting(
    "NODE_ENV",
    schema.oneOf("development", "test", "production"),
    null,
    "`production` is strict: stores and secrets must be given, and session cookies are always `Secure`. Not set, it is `development` as long as livecore starts both stores itself, and `production` once MONGODB_URL or REDIS_URL is given.",
  ),
  home: setting(
    "LIVECORE_HOME",
    schema.text,
    ".livecore",
    "Folder of the development services: their data, the fetched programs, secrets made once. It is its owner's alone (0700). Production needs none.",
  ),

  host: setting(
    "HOST",
    schema.listenAddress,
    "auto",
    "Address on which PORT and REALTIME_PORT listen. `auto`: all in production, 127.0.0.1 otherwise; in a container say 0.0.0.0.",
  ),
  port: setting("PORT", schema.port, "8080", "The public port: REST, pages, and WebSocket upgrades."),
  publicUrl: setting(
    "PUBLIC_URL",
    schema.baseAddress("http", "https"),
    "http://localhost:8080",
    "The service's own public address, as clients and other machines reach it. Production must be told; otherwise it has the port of PORT.",
  ),
  realtimePort: setting(
    "REALTIME_PORT",
    schema.port,
    "8081",
    "Port of the realtime workers; a proxy may route socket paths straight to it.",
  ),
  metricsPort: setting("METRICS_PORT", schema.port, "9464", "Internal port: `/readyz` and `/metrics`."),
  metricsHost: setting(
    "METRICS_HOST",
    schema.text,
    "127.0.0.1",
    "Address on which the internal port listens; never make it public.",
  ),
  trustedProxies: setting(
    "TRUSTED_PROXIES",
    schema.networks,
    "",
    "Proxies whose X-Forwarded-For is believed, on the public and the sockets' own port; one on this machine is no exception (`127.0.0.1,::1`).",
  ),
  allowedOrigins: setting(
    "ALLOWED_ORIGINS",
    schema.origins,
    "",
    "Web origins that may call with credentials and open sockets; compared exactly.",
  ),
  cookieDomain: setting(
    "COOKIE_DOMAIN",
    schema.optionalText,
    "",
    "Domain attribute of session cookies; without it they belong to the host alone.",
  ),

  mongoUrl: setting(
    "MONGODB_URL",
    schema.url("mongodb", "mongodb+srv"),
    null,
    "MongoDB replica set. Outside production one is started when this is missing.",
  ),
  mongoDatabase: setting("MONGODB_DATABASE", schema.text, "livecore", "Name of the database."),
  redisUrl: setting(
    "REDIS_URL",
    redisAddress,
    null,
    "Redis or Valkey, with `maxmemory-policy noeviction`. A cluster is named by some of its nodes: `redis+cluster://[user:password@]host:port,host:port`, with `cluster-require-full-coverage no`, so that the loss of one master concerns its rooms alone. Outside production one server is started when this is missing.",
  ),

  apiWorkers: setting("API_WORKERS", workers, "auto", "Processes that answer REST."),
  realtimeWorkers: setting("REALTIME_WORKERS", workers, "auto", "Processes that hold sockets."),
  socketBufferKib: setting(
    "SOCKET_BUFFER_KIB",
    schema.integer(512, 65_536),
    "512",
    "How far a socket's reader may be behind before the socket is closed with 4008, in KiB. At twice as much the connection is cut at once; a worker may hold that for each of its sockets.",
  ),
  jobsWorkers: setting(
    "JOBS_WORKERS",
    workers,
    "1",
    "Processes that fire timers, archive chat and do background work.",
  ),
  graceSeconds: setting(
    "GRACE_SECONDS",
    schema.integer(1, 600),
    "25",
    "How long a stop may take in all, in seconds; what is left then is ended.",
  ),
  logLevel: setting(
    "LOG_LEVEL",
    schema.oneOf("debug", "info", "warn", "error"),
    "info",
    "The least level that is logged.",
  ),

  systemKey: setting(
    "SYSTEM_KEY",
    schema.secret,
    null,
    "Key of trusted machines (X-System-Key). Made once outside production.",
  ),
  webhookSecrets: setting(
    "WEBHOOK_SECRETS",
    schema.secrets,
    null,
    "Secrets that sign webhooks, as `whsec_` and the key in base64 (another text is a key by its bytes); the first signs, all verify. Made once outside production.",
  ),
  masterKey: setting(
    "MASTER_KEY",
    schema.secret,
    null,
    "Seals secrets in MongoDB and signs refresh tokens; the same on all machines. Made once outside production.",
  ),
  oldMasterKeys: setting(
    "MASTER_KEY_OLD",
    schema.optionalSecrets,
    "",
    "Keys that still open what MASTER_KEY doesn't, while it is replaced: `npm run keys -- reseal`, docs/keys.md.",
  ),

  originsFile: setting(
    "GEOIP_DB",
    schema.originsFile,
    "",
    "A MaxMind database of countries or cities (.mmdb): the list of sessions then shows roughly where each address is. Each worker holds it in memory. Not set, it shows addresses alone.",
  ),

  currency: setting("CURRENCY", schema.currency, "USD", "In what subscriptions and tips are paid, ISO 4217."),
  iosVersions: setting(
    "IOS_APP_VERSIONS",
    schema.appVersions,
    "0.0.0,0.0.0",
    "The oldest version of the app for iOS that may go on, and the latest: `GET /v1/app/min-version` tells apps.",
  ),
  androidVersions: setting(
    "ANDROID_APP_VERSIONS",
    schema.appVersions,
    "0.0.0,0.0.0",
    "The same of the app for Android.",
  ),
  tierPrices: setting(
    "TIER_PRICES",
    schema.tierPrices,
    "499,999,2499",
    "What a month of tier 1, 2 and 3 costs, in the smallest unit of the currency. Who has subscribed already keeps the old price.",
  ),
  stripeSecretKey: setting(
    "STRIPE_SECRET_KEY",
    schema.optionalSecret,
    "",
    "Stripe takes the money. Not set, a platform that takes none does outside production, and in production nothing can be paid.",
  ),
  stripeWebhookSecrets: setting(
    "STRIPE_WEBHOOK_SECRETS",
    schema.givenSecrets,
    "",
    "Signing secrets of Stripe's endpoint `/v1/webhooks/billing/stripe`; needed with STRIPE_SECRET_KEY. Any of them verifies.",
  ),
  checkoutReturnUrl: setting(
    "CHECKOUT_RETURN_URL",
    schema.optionalText,
    "",
    "Where payers come back to from Stripe's page; PUBLIC_URL when it isn't set.",
  ),

  smtpUrl: setting(
    "SMTP_URL",
    schema.smtpAddress,
    "",
    "Where mails are handed in: `smtp://user:password@host:587`, which must offer STARTTLS unless it is this machine, or `smtps://`. Not set, `npm start` takes mails itself outside production and shows them on the internal port. Production must be told.",
  ),
  mailFrom: setting(
    "MAIL_FROM",
    schema.mailSender,
    "livecore <livecore@localhost>",
    "Sender of mails, as `address` or `Name <address>`. Production must be told.",
  ),

  vapidPrivateKey: setting(
    "VAPID_PRIVATE_KEY",
    push.vapidKey,
    "",
    "Signs web push (VAPID), as `npx web-push generate-vapid-keys` makes it; pages get its public key by `GET /v1/notifications/web-push`. Subscriptions are of use with that key alone. Not set, browsers are pushed nothing.",
  ),
  vapidSubject: setting(
    "VAPID_SUBJECT",
    push.vapidSubject,
    "",
    "Whom push services of browsers may write to; needed with VAPID_PRIVATE_KEY.",
  ),
  apnsKey: setting(
    "APNS_KEY",
    push.apnsKey,
    "",
    "Apple's signing key for push notifications, lines separated by `\\n`. Not set, Apple's own tokens are pushed nothing.",
  ),
  apnsKeyId: setting("APNS_KEY_ID", schema.optionalText, "", "That key's id; needed with APNS_KEY."),
  apnsTeamId: setting("APNS_TEAM_ID", schema.optionalText, "", "The team's id; needed with APNS_KEY."),
  apnsTopic: setting("APNS_TOPIC", schema.optionalText, "", "The app's bundle id; needed with APNS_KEY."),
  apnsSandbox: setting(
    "APNS_SANDBOX",
    schema.oneOf("yes", "no"),
    "no",
    "Whether apps are development builds: their tokens are of another service of Apple's.",
  ),
  fcmServiceAccount: setting(
    "FCM_SERVICE_ACCOUNT",
    push.serviceAccount,
    "",
    "The JSON of a service account that may send by Firebase Cloud Messaging. Not set, Android and Firebase's tokens on iOS are pushed nothing.",
  ),

  oauthProviders: setting(
    "OAUTH_PROVIDERS",
    oauthProviders,
    "",
    "Who else may confirm who somebody is: OpenID Connect and OAuth 2 providers, an organisation's own included (docs/sign-in.md). It holds secrets.",
  ),
  oauthReturnUrls: setting(
    "OAUTH_RETURN_URLS",
    returnUrls,
    "",
    "Where browsers may be sent back to from such a provider, exactly; the first when a page names none. Not set, PUBLIC_URL alone.",
  ),
  filesDir: setting(
    "FILES_DIR",
    schema.optionalText,
    "",
    "Folder of uploaded pictures, the same for all machines; `files` in LIVECORE_HOME when it isn't set. Production needs it, or S3_BUCKET.",
  ),
  s3Bucket: setting(
    "S3_BUCKET",
    schema.optionalText,
    "",
    "Uploaded pictures lie in this bucket of a store that speaks S3, instead of in FILES_DIR.",
  ),
  s3Endpoint: setting(
    "S3_ENDPOINT",
    schema.optionalBaseAddress("http", "https"),
    "",
    "Where that store is; Amazon's when it isn't set.",
  ),
  s3Region: setting("S3_REGION", schema.text, "us-east-1", "The bucket's region."),
  s3AccessKeyId: setting(
    "S3_ACCESS_KEY_ID",
    schema.optionalText,
    "",
    "Who the service is there; needed with S3_BUCKET.",
  ),
  s3SecretAccessKey: setting("S3_SECRET_ACCESS_KEY", schema.optionalSecret, "", "Needed with S3_BUCKET."),

  ingestUrl: setting(
    "INGEST_URL",
    schema.url("rtmp", "rtmps", "srt"),
    "rtmp://localhost:1935/ingest",
    "Where broadcasters send their stream (`server_url`).",
  ),
  ingestNetworks: setting(
    "INGEST_NETWORKS",
    schema.networks,
    "",
    "Networks from which ingest hooks are taken, and to which edge and ingest configuration is given, beside this machine.",
  ),
  mediaHooks: setting(
    "MEDIA_HOOKS",
    schema.oneOf("yes", "no"),
    "no",
    "Whether a media service sends `stream.live`: a broadcast is then live when it says so, otherwise 5 s after its publisher came.",
  ),
  mediaControlUrl: setting(
    "MEDIA_CONTROL_URL",
    schema.optionalBaseAddress("http", "https"),
    "",
    "nginx-rtmp's control module (`rtmp_control all`), which drops publishers whose key was rotated or who were banned. Its publish hook needs `?rename=1`, nginx one worker. Not set, they stay connected, unseen.",
  ),
  mediaUrl: setting(
    "MEDIA_URL",
    schema.optionalBaseAddress("http", "https"),
    "",
    "Where the media service takes requests for clips, signed with the first of WEBHOOK_SECRETS. Not set, clips can't be made.",
  ),
  edgeUrl: setting(
    "EDGE_URL",
    schema.baseAddress("http", "https"),
    "http://localhost:8088/hls",
    "Where players fetch the stream.",
  ),
  edgeKeys: setting(
    "EDGE_KEYS",
    schema.secrets,
    null,
    "Secrets that sign addresses on the edge; the first signs, the edge accepts all. Made once outside production.",
  ),
  edgeLowLatency: setting(
    "EDGE_LL_HLS",
    schema.oneOf("yes", "no"),
    "no",
    "Whether the edge has LL-HLS: players that want it are promised it.",
  ),
  rateLimitFactor: setting(
    "RATE_LIMIT_FACTOR",
    schema.positive,
    "1",
    "Multiplies the limits per address, sockets too. Not set, it is 1000 where livecore has started both stores itself, so that a demo from one address works.",
  ),
};
