import { clusterAddress } from "../../../store/redis/address.ts";
import { INSTANCE_SETTINGS } from "./instance-settings.ts";
import { oauthProviders, returnUrls } from "./oauth-providers.ts";
import { PEER_SETTINGS } from "./peer-settings.ts";
import * as push from "./push-services.ts";
import type { Schema } from "./schemas.ts";
import * as schema from "./schemas.ts";
import { setting } from "./setting.ts";

/** A number of processes, or "auto": derived from the machine's cores. */
const workers: Schema<number | "auto"> = {
  shape: "auto or 1 to 64",
  parse: (value) => (value === "auto" ? "auto" : schema.integer(1, 64).parse(value)),
};

/** URL of a server or of a cluster; for a cluster all hosts are validated. */
const redisUrl = schema.url("redis", "rediss", "redis+cluster", "rediss+cluster");
const redisAddress: Schema<string> = {
  shape: redisUrl.shape,
  parse(value) {
    clusterAddress(redisUrl.parse(value));
    return value;
  },
};

/** The only place that knows names, forms, defaults and meanings of environment variables. */
export const SETTINGS = {
  environment: setting(
    "NODE_ENV",
    schema.oneOf("development", "test", "production"),
    null,
    "In `production`, stores and secrets must be given, and session cookies are always `Secure`. If not set, it is `development` as long as livecore starts both stores itself, and `production` once MONGODB_URL or REDIS_URL is given.",
  ),
  home: setting(
    "LIVECORE_HOME",
    schema.text,
    ".livecore",
    "Folder of the development services: their data, the downloaded programs, and generated secrets. Only its owner can access it (0700). In production only the pid file is there.",
  ),
  pidFile: setting(
    "PID_FILE",
    schema.optionalText,
    "",
    "File with the process id of the service, for signals (SIGTERM stops it, SIGUSR2 replaces its workers); removed at the end. `livecore.pid` in LIVECORE_HOME if not set; its folder must exist. Two services in one LIVECORE_HOME need two.",
  ),

  host: setting(
    "HOST",
    schema.listenAddress,
    "auto",
    "Address on which PORT and REALTIME_PORT listen. `auto`: all addresses in production, 127.0.0.1 otherwise; in a container use 0.0.0.0.",
  ),
  port: setting("PORT", schema.port, "8080", "The public port, for REST, pages and WebSocket upgrades."),
  publicUrl: setting(
    "PUBLIC_URL",
    schema.baseAddress("http", "https"),
    "http://localhost:8080",
    "The service's public address, as clients and other machines reach it. Required in production; otherwise it follows PORT. Passkeys belong to its host: with another one they stop working.",
  ),
  realtimePort: setting(
    "REALTIME_PORT",
    schema.port,
    "8081",
    "Port of the realtime workers; a proxy may route socket paths directly to it.",
  ),
  metricsPort: setting("METRICS_PORT", schema.port, "9464", "Internal port, for `/readyz` and `/metrics`."),
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
    "Proxies whose X-Forwarded-For is trusted, on the public port and on the sockets' own port. A proxy on this machine must be listed too (`127.0.0.1,::1`).",
  ),
  allowedOrigins: setting(
    "ALLOWED_ORIGINS",
    schema.origins,
    "",
    "Web origins that may send requests with credentials and open sockets; compared exactly.",
  ),
  cookieDomain: setting(
    "COOKIE_DOMAIN",
    schema.optionalText,
    "",
    "Domain attribute of session cookies; if not set, they are valid only for the host, and each session is bound to its browser. Unsetting it signs browsers out.",
  ),

  ...INSTANCE_SETTINGS,

  mongoUrl: setting(
    "MONGODB_URL",
    schema.url("mongodb", "mongodb+srv"),
    null,
    "Address of the MongoDB replica set. Outside production one is started if this is missing. Settings of the set for a fast failover: docs/actors.md.",
  ),
  mongoDatabase: setting("MONGODB_DATABASE", schema.text, "livecore", "Name of the MongoDB database."),
  redisUrl: setting(
    "REDIS_URL",
    redisAddress,
    null,
    "Address of Redis or Valkey, which must have `maxmemory-policy noeviction`. For a cluster, list some of its nodes: `redis+cluster://[user:password@]host:port,host:port`; it should have `cluster-require-full-coverage no`, so that the loss of one master affects only its rooms. Outside production a single server is started if this is missing.",
  ),

  apiWorkers: setting("API_WORKERS", workers, "auto", "Number of processes that answer REST requests."),
  apiConcurrency: setting(
    "API_CONCURRENCY",
    schema.integer(1, 10_000),
    "50",
    "How many requests an api worker works on at the same time. Others wait for up to a second, and for 100 ms once there are steadily more than the worker serves; then they get 503 with `Retry-After`. Requests that go on without MongoDB (chat, heartbeats, tickets) have as many slots again, and other services and staff a quarter. Health checks, cached answers, and requests that wait for a body, a password check, an actor or another service need none. Above 50, requests wait for one of the worker's 50 connections to MongoDB instead.",
  ),
  realtimeWorkers: setting("REALTIME_WORKERS", workers, "auto", "Number of processes that hold sockets."),
  socketBufferKib: setting(
    "SOCKET_BUFFER_KIB",
    schema.integer(512, 65_536),
    "512",
    "How far a socket's reader may fall behind before the socket is closed with 4008, in KiB. At twice this value the connection is cut at once; a worker may need that much memory for each of its sockets.",
  ),
  jobsWorkers: setting(
    "JOBS_WORKERS",
    workers,
    "2",
    "Number of processes that fire timers, archive chat and do background work. With two, one that hangs or dies delays work by seconds at most: timers that it has claimed by 5 s, sweeps by 10 s.",
  ),
  graceSeconds: setting(
    "GRACE_SECONDS",
    schema.integer(1, 600),
    "25",
    "How long a shutdown may take in all, in seconds; processes still running then are killed.",
  ),
  logLevel: setting(
    "LOG_LEVEL",
    schema.oneOf("debug", "info", "warn", "error"),
    "info",
    "The lowest level that is logged.",
  ),

  ...PEER_SETTINGS,
  masterKey: setting(
    "MASTER_KEY",
    schema.secret,
    null,
    "Key that encrypts secrets in MongoDB and signs refresh tokens; must be the same on all machines. Generated once outside production.",
  ),
  oldMasterKeys: setting(
    "MASTER_KEY_OLD",
    schema.optionalSecrets,
    "",
    "Earlier master keys, for data that MASTER_KEY can't decrypt yet while it is being replaced: `npm run keys -- reseal`, docs/keys.md.",
  ),

  originsFile: setting(
    "GEOIP_DB",
    schema.originsFile,
    "",
    "A MaxMind database of countries or cities (.mmdb), with which the list of sessions shows the approximate location of each address. Each worker holds it in memory. If not set, only addresses are shown.",
  ),

  currency: setting("CURRENCY", schema.currency, "USD", "Currency of subscriptions and tips, ISO 4217."),
  iosVersions: setting(
    "IOS_APP_VERSIONS",
    schema.appVersions,
    "0.0.0,0.0.0",
    "The oldest supported version of the iOS app, and the latest; `GET /v1/app/min-version` returns them to apps.",
  ),
  androidVersions: setting(
    "ANDROID_APP_VERSIONS",
    schema.appVersions,
    "0.0.0,0.0.0",
    "The same for the Android app.",
  ),
  tierPrices: setting(
    "TIER_PRICES",
    schema.tierPrices,
    "499,999,2499",
    "Monthly prices of tiers 1, 2 and 3, in the smallest unit of the currency. Existing subscribers keep the old price.",
  ),
  stripeSecretKey: setting(
    "STRIPE_SECRET_KEY",
    schema.optionalSecret,
    "",
    "Secret key with which payments go through Stripe. If not set, a test platform that takes no money is used outside production, and in production nothing can be paid.",
  ),
  stripeWebhookSecrets: setting(
    "STRIPE_WEBHOOK_SECRETS",
    schema.givenSecrets,
    "",
    "Signing secrets of the Stripe webhook endpoint `/v1/webhooks/billing/stripe`; required with STRIPE_SECRET_KEY. A signature by any of them is valid.",
  ),
  checkoutReturnUrl: setting(
    "CHECKOUT_RETURN_URL",
    schema.optionalText,
    "",
    "Where payers return to from Stripe's page; PUBLIC_URL if not set.",
  ),

  smtpUrl: setting(
    "SMTP_URL",
    schema.smtpAddress,
    "",
    "The mail server: `smtp://user:password@host:587`, which must offer STARTTLS unless it is on this machine, or `smtps://`. If not set, outside production `npm start` receives mails itself and shows them on the internal port. Required in production.",
  ),
  mailFrom: setting(
    "MAIL_FROM",
    schema.mailSender,
    "livecore <livecore@localhost>",
    "Sender of mails, as `address` or `Name <address>`. Required in production.",
  ),

  vapidPrivateKey: setting(
    "VAPID_PRIVATE_KEY",
    push.vapidKey,
    "",
    "Private key that signs web push messages (VAPID), as generated by `npx web-push generate-vapid-keys`; pages get its public key from `GET /v1/notifications/web-push`. Subscriptions work only with that key. If not set, nothing is pushed to browsers.",
  ),
  vapidSubject: setting(
    "VAPID_SUBJECT",
    push.vapidSubject,
    "",
    "Contact for the push services of browsers; required with VAPID_PRIVATE_KEY.",
  ),
  apnsKey: setting(
    "APNS_KEY",
    push.apnsKey,
    "",
    "Apple's signing key for push notifications, with lines separated by `\\n`. If not set, nothing is pushed to Apple's own tokens.",
  ),
  apnsKeyId: setting("APNS_KEY_ID", schema.optionalText, "", "The id of that key; required with APNS_KEY."),
  apnsTeamId: setting("APNS_TEAM_ID", schema.optionalText, "", "The team's id; required with APNS_KEY."),
  apnsTopic: setting("APNS_TOPIC", schema.optionalText, "", "The app's bundle id; required with APNS_KEY."),
  apnsSandbox: setting(
    "APNS_SANDBOX",
    schema.oneOf("yes", "no"),
    "no",
    "Whether the apps are development builds, whose tokens belong to Apple's sandbox service.",
  ),
  fcmServiceAccount: setting(
    "FCM_SERVICE_ACCOUNT",
    push.serviceAccount,
    "",
    "The JSON of a service account that may send with Firebase Cloud Messaging. If not set, nothing is pushed to Android, nor to Firebase tokens on iOS.",
  ),

  oauthProviders: setting(
    "OAUTH_PROVIDERS",
    oauthProviders,
    "",
    "OpenID Connect and OAuth 2 providers that users can sign in with, including an organisation's own (docs/sign-in.md). Contains secrets.",
  ),
  oauthReturnUrls: setting(
    "OAUTH_RETURN_URLS",
    returnUrls,
    "",
    "Addresses of other sites to which browsers may be sent back from such a provider; compared exactly. The first one is used if a page names none; if not set, the sign-in page of this service.",
  ),
  filesDir: setting(
    "FILES_DIR",
    schema.optionalText,
    "",
    "Folder of uploaded pictures, shared by all machines; `files` in LIVECORE_HOME if not set. In production this or S3_BUCKET is required.",
  ),
  s3Bucket: setting(
    "S3_BUCKET",
    schema.optionalText,
    "",
    "Bucket of an S3-compatible store in which uploaded pictures are kept, instead of in FILES_DIR.",
  ),
  s3Endpoint: setting(
    "S3_ENDPOINT",
    schema.optionalBaseAddress("http", "https"),
    "",
    "Address of that store; Amazon's if not set.",
  ),
  s3Region: setting("S3_REGION", schema.text, "us-east-1", "The bucket's region."),
  s3AccessKeyId: setting(
    "S3_ACCESS_KEY_ID",
    schema.optionalText,
    "",
    "The service's access key id there; required with S3_BUCKET.",
  ),
  s3SecretAccessKey: setting(
    "S3_SECRET_ACCESS_KEY",
    schema.optionalSecret,
    "",
    "The secret of that access key; required with S3_BUCKET.",
  ),

  ingestUrl: setting(
    "INGEST_URL",
    schema.url("rtmp", "rtmps", "srt"),
    "rtmp://localhost:1935/ingest",
    "The address to which broadcasters send their stream (`server_url`).",
  ),
  ingestNetworks: setting(
    "INGEST_NETWORKS",
    schema.networks,
    "",
    "Networks, besides this machine, from which ingest webhooks are accepted and to which the edge and ingest configuration is given.",
  ),
  mediaHooks: setting(
    "MEDIA_HOOKS",
    schema.oneOf("yes", "no"),
    "no",
    "Whether a media service sends `stream.live`. If so, a broadcast is live when the media service says so; otherwise 5 s after its publisher connected.",
  ),
  mediaControlUrl: setting(
    "MEDIA_CONTROL_URL",
    schema.optionalBaseAddress("http", "https"),
    "",
    "Address of nginx-rtmp's control module (`rtmp_control all`), which disconnects publishers whose broadcast has ended (by its owner or staff, a rotated key, a ban, or without a picture), or that another one replaced. Its publish hook needs `?rename=1`, and nginx must run one worker. If not set, these publishers stay connected until the server's next update (`on_update`), but nobody sees their stream.",
  ),
  mediaUrl: setting(
    "MEDIA_URL",
    schema.optionalBaseAddress("http", "https"),
    "",
    "Address at which the media service accepts requests, signed with the first of MEDIA_REQUEST_SECRETS: to make a clip, and to hide or delete files of clips, recordings and streams. If not set, clips can't be created, and such requests wait for up to 90 days.",
  ),
  edgeUrl: setting(
    "EDGE_URL",
    schema.baseAddress("http", "https"),
    "http://localhost:8088/hls",
    "The address from which players fetch streams, recordings and clips. If not set outside production, the service plays a test card itself, below PUBLIC_URL.",
  ),
  edgeKeys: setting(
    "EDGE_KEYS",
    schema.optionalSecrets,
    "",
    "Secrets that sign addresses on the edge; the first one signs, the edge accepts all. Required; generated once outside production.",
  ),
  edgeLowLatency: setting(
    "EDGE_LL_HLS",
    schema.oneOf("yes", "no"),
    "no",
    "Whether the edge supports LL-HLS; if so, it is offered to players that ask for it.",
  ),
  rateLimitFactor: setting(
    "RATE_LIMIT_FACTOR",
    schema.positive,
    "1",
    "Multiplies the limits per address, including those for sockets. If not set, it is 1000 when livecore has started both stores itself, so that a demo from one address works.",
  ),
};
