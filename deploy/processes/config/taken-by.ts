import { SETTINGS } from "./settings.ts";
import type { ProcessKind } from "./worker-kinds.ts";

const ALL = ["realtime", "api", "jobs"] as const;
const SCHEMA_TOO = ["realtime", "api", "jobs", "schema"] as const;
const PRIMARY_ALONE = [] as const;
const API = ["api"] as const;
const JOBS = ["jobs"] as const;
const API_AND_JOBS = ["api", "jobs"] as const;

/**
 * Which kinds of process get each variable; the primary has them all. Those with secrets go only where they are used, so that a process
 * that is taken over, or a dump of it, has no others.
 */
const TAKEN_BY = {
  environment: SCHEMA_TOO,
  home: ALL,
  pidFile: PRIMARY_ALONE,
  host: ALL,
  port: ALL,
  publicUrl: ALL,
  realtimePort: ALL,
  metricsPort: ALL,
  metricsHost: ALL,
  trustedProxies: ALL,
  allowedOrigins: ALL,
  cookieDomain: ALL,
  instanceName: API,
  instanceLogo: API,
  instanceAccent: API,
  instancePages: API,
  // Whichever process could make an account must know.
  signUp: ALL,
  mongoUrl: SCHEMA_TOO,
  mongoDatabase: SCHEMA_TOO,
  redisUrl: ALL,
  apiWorkers: ALL,
  apiConcurrency: ALL,
  realtimeWorkers: ALL,
  socketBufferKib: ALL,
  jobsWorkers: ALL,
  graceSeconds: ALL,
  logLevel: SCHEMA_TOO,
  ingestKeys: API,
  mediaKeys: API,
  mediaWebhookSecrets: API,
  // Jobs sign the requests; an api worker must know that there can be any.
  mediaRequestSecrets: API_AND_JOBS,
  // Jobs call the development platform, which reports by them.
  billingKeys: API_AND_JOBS,
  billingWebhookSecrets: API_AND_JOBS,
  edgeConfigKeys: API,
  systemKey: API_AND_JOBS,
  webhookSecrets: API_AND_JOBS,
  // Each opens the keys that sign access tokens.
  masterKey: ALL,
  oldMasterKeys: ALL,
  originsFile: ALL,
  currency: ALL,
  iosVersions: ALL,
  androidVersions: ALL,
  tierPrices: ALL,
  stripeSecretKey: API_AND_JOBS,
  stripeWebhookSecrets: API,
  checkoutReturnUrl: ALL,
  smtpUrl: JOBS,
  mailFrom: ALL,
  // Its public key is for pages.
  vapidPrivateKey: API_AND_JOBS,
  vapidSubject: ALL,
  apnsKey: JOBS,
  apnsKeyId: ALL,
  apnsTeamId: ALL,
  apnsTopic: ALL,
  apnsSandbox: ALL,
  fcmServiceAccount: JOBS,
  oauthProviders: API,
  oauthReturnUrls: ALL,
  filesDir: ALL,
  s3Bucket: ALL,
  s3Endpoint: ALL,
  s3Region: ALL,
  s3AccessKeyId: API_AND_JOBS,
  s3SecretAccessKey: API_AND_JOBS,
  ingestUrl: ALL,
  ingestNetworks: ALL,
  mediaHooks: ALL,
  mediaControlUrl: ALL,
  mediaUrl: ALL,
  edgeUrl: ALL,
  edgeKeys: API,
  edgeLowLatency: ALL,
  rateLimitFactor: ALL,
} as const satisfies Record<keyof typeof SETTINGS, readonly ProcessKind[]>;

/** The names of the variables that processes of this kind get. */
export const variablesOf = (kind: ProcessKind): string[] =>
  Object.entries<readonly ProcessKind[]>(TAKEN_BY)
    .filter(([, kinds]) => kinds.includes(kind))
    .map(([key]) => SETTINGS[key as keyof typeof SETTINGS].name);
