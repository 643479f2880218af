import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import type { AppVersions, Platform } from "../../../actors/accounts/apps/versions.ts";
import type { InstanceSettings } from "../../../api/system/instance/instance.ts";
import type { Environment } from "./environment.ts";
import { equalSecretProblems, equalSecretsIn } from "./equal-secrets.ts";
import { type ProviderSetting, plainIn } from "./oauth-providers.ts";
import { type PeerSecrets, peerProblems, peerSecretsFrom, sharedSecretsIn } from "./peer-secrets.ts";
import { homeFolder } from "./project.ts";
import type { ServiceAccount } from "./push-services.ts";
import { given, missing, type Reader, reader } from "./reading.ts";
import type { Secret } from "./secret.ts";
import type { Setting } from "./setting.ts";
import { SETTINGS } from "./settings.ts";

/** The settings that don't depend on the stores' addresses. */
export type Settings = {
  env: "development" | "test" | "production";
  /** Absolute path. */
  home: string;
  /** Absolute path; null: `livecore.pid` in `home`. */
  pidFile: string | null;
  publicUrl: string;
  http: {
    /** The address to listen on; null: all addresses of the machine. */
    host: string | null;
    port: number;
    trustedProxies: readonly string[];
    allowedOrigins: readonly string[];
    cookieDomain: string | null;
    /** Whether session cookies may be set without `Secure` over plain http on localhost names. */
    plainCookiesHere: boolean;
  };
  instance: InstanceSettings;
  realtime: {
    host: string | null;
    port: number;
    trustedProxies: readonly string[];
    allowedOrigins: readonly string[];
    /** The soft limit of a socket's send buffer. */
    sendBufferBytes: number;
  };
  metrics: { port: number; host: string };
  apps: Record<Platform, AppVersions>;
  workers: { api: number; realtime: number; jobs: number };
  /** Requests that an api worker works on at the same time. */
  apiConcurrency: number;
  /** For a whole stop, from the signal to the exit, ms. */
  graceMs: number;
  log: { level: "debug" | "info" | "warn" | "error" };
  /** Path of a GeoIP database, which gives the rough origin of addresses; null: no origin is shown. */
  originsFile: string | null;
  secrets: PeerSecrets & { masterKey: Secret; oldMasterKeys: readonly Secret[] };
  /** The deprecated variables that still stand in for others, and for which. */
  sharedSecrets: readonly { shared: string; unset: readonly string[] }[];
  /** Pairs of variables with the same secret that aren't refused. */
  equalSecrets: readonly (readonly [one: string, other: string])[];
  payments: {
    currency: string;
    tierCents: Record<1 | 2 | 3, number>;
    /** Null: the development platform, or in production none. */
    stripe: { secretKey: Secret; webhookSecrets: readonly Secret[] } | null;
    returnUrl: string;
  };
  /** `smtpUrl` null: no mail is sent. */
  mail: { smtpUrl: Secret | null; from: { name: string; address: string } };
  /** Null: this push service isn't used. */
  push: {
    vapid: { privateKey: Secret; subject: string } | null;
    apns: { key: Secret; keyId: string; teamId: string; topic: string; isSandbox: boolean } | null;
    fcm: ServiceAccount | null;
  };
  /** There is at least one return URL. */
  oauth: { providers: readonly ProviderSetting[]; returnUrls: readonly [string, ...string[]] };
  /** Without an S3 bucket, files are kept in `folder`, an absolute path. */
  files: {
    folder: string;
    s3: {
      bucket: string;
      endpoint: string | null;
      region: string;
      accessKeyId: string;
      secretAccessKey: Secret;
    } | null;
  };
  ingest: { url: string; networks: readonly string[] };
  /** Whether a media service reports when a broadcast has a picture. */
  media: {
    sendsHooks: boolean;
    /** URL of the RTMP server's control module; null: none. */
    controlUrl: string | null;
    /** Where clips are requested; null: clips can't be made. */
    url: string | null;
  };
  edge: { url: string; keys: readonly Secret[]; hasLowLatency: boolean };
  limits: { factor: number };
};

export type Config = Settings & { mongo: { url: string; database: string }; redis: { url: string } };

/** Reports all problems of a configuration at once, one per line. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[], hint: string) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join("\n")}${hint}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** The full configuration, as a worker needs it. Throws a ConfigError with all problems. */
export function loadConfig(env: Environment): Config {
  return withStores(env, checkedSettings(env, []));
}

function withStores(env: Environment, settings: Settings): Config {
  const value = reader(env);
  return {
    ...settings,
    mongo: { url: value(SETTINGS.mongoUrl), database: value(SETTINGS.mongoDatabase) },
    redis: { url: value(SETTINGS.redisUrl) },
  };
}

/**
 * The configuration of a worker. What its kind doesn't get (taken-by.ts) is as if it weren't set; that the whole makes sense, the primary
 * has checked. Throws a ConfigError.
 */
export function loadWorkerConfig(env: Environment): Config {
  const whole = withEnvironment(env);
  const problems = invalidIn(whole, []);
  if (problems.length > 0) throw new ConfigError(problems, "");
  return withStores(whole, settingsFrom(whole));
}

/** Of the process that completes the schema; that the whole makes sense, the primary has checked. */
export function loadSchemaConfig(env: Environment): Pick<Config, "env" | "mongo" | "log"> {
  const value = reader(env);
  return {
    env: value(SETTINGS.environment),
    mongo: { url: value(SETTINGS.mongoUrl), database: value(SETTINGS.mongoDatabase) },
    log: { level: value(SETTINGS.logLevel) },
  };
}

/** Like `loadConfig`, but outside production the stores' addresses may be missing, since those stores are then started here. */
export function loadSettings(env: Environment): Settings {
  return checkedSettings(env, isProduction(env) ? [] : STORES.map(({ name }) => name));
}

const STORES = [SETTINGS.mongoUrl, SETTINGS.redisUrl];

/**
 * Whether all settings must be given and secrets be strong. Someone who points at stores of their own has more to lose than
 * someone who tries things out, and forgets NODE_ENV just as easily. So without NODE_ENV, only stores that we start ourselves
 * make it development.
 */
export const isProduction = (env: Environment): boolean =>
  given(withEnvironment(env), SETTINGS.environment) === "production";

function withEnvironment(env: Environment): Environment {
  const byStores = STORES.every((store) => given(env, store) === null) ? "development" : "production";
  const environment = given(env, SETTINGS.environment) ?? byStores;
  return { ...env, ...addressBy(env, environment), [SETTINGS.environment.name]: environment };
}

/**
 * Outside production the default PUBLIC_URL follows PORT, since links in mails and pages lead there, and the default EDGE_URL follows
 * PUBLIC_URL: the service plays a test card itself.
 */
function addressBy(env: Environment, environment: string): Environment {
  if (environment === "production") return {};
  const { port, publicUrl, edgeUrl } = SETTINGS;
  const wanted = env[port.name]?.trim() ?? "";
  const byPort = /^\d+$/.test(wanted) ? `http://localhost:${wanted}` : (publicUrl.fallback ?? "");
  const address = env[publicUrl.name]?.trim() || byPort;
  return { [publicUrl.name]: address, [edgeUrl.name]: env[edgeUrl.name]?.trim() || ownEdgeOf(address) };
}

/** Where the service has an edge of its own in development, which plays a test card. */
export const ownEdgeOf = (address: string): string => `${address.replace(/(?<!\/)\/+$/, "")}/edge`;

function checkedSettings(env: Environment, mayBeMissing: readonly string[]): Settings {
  const whole = withEnvironment(env);
  const problems = problemsOf(whole, mayBeMissing);
  if (problems.length > 0) throw new ConfigError(problems, hintFor(env));
  return settingsFrom(whole);
}

function settingsFrom(env: Environment): Settings {
  const value = reader(env);
  const environment = value(SETTINGS.environment);
  const wantedHost = value(SETTINGS.host);
  const host = wantedHost === "auto" ? (environment === "production" ? null : LOOPBACK) : wantedHost;
  const trustedProxies = value(SETTINGS.trustedProxies);
  const allowedOrigins = value(SETTINGS.allowedOrigins);
  return {
    env: environment,
    home: homeFolder(value(SETTINGS.home)),
    pidFile: absolute(value(SETTINGS.pidFile)),
    publicUrl: value(SETTINGS.publicUrl),
    http: {
      host,
      port: value(SETTINGS.port),
      trustedProxies,
      allowedOrigins,
      cookieDomain: value(SETTINGS.cookieDomain),
      plainCookiesHere: environment !== "production",
    },
    instance: {
      name: value(SETTINGS.instanceName),
      logo: value(SETTINGS.instanceLogo),
      accent: value(SETTINGS.instanceAccent),
      pages: value(SETTINGS.instancePages),
      signUp: value(SETTINGS.signUp),
    },
    realtime: {
      host,
      port: value(SETTINGS.realtimePort),
      trustedProxies,
      allowedOrigins,
      sendBufferBytes: value(SETTINGS.socketBufferKib) * 1_024,
    },
    metrics: { port: value(SETTINGS.metricsPort), host: value(SETTINGS.metricsHost) },
    workers: {
      api: count(value(SETTINGS.apiWorkers)),
      realtime: count(value(SETTINGS.realtimeWorkers)),
      jobs: count(value(SETTINGS.jobsWorkers)),
    },
    graceMs: value(SETTINGS.graceSeconds) * 1_000,
    log: { level: value(SETTINGS.logLevel) },
    originsFile: value(SETTINGS.originsFile),
    secrets: {
      ...peerSecretsFrom(value),
      masterKey: value(SETTINGS.masterKey),
      oldMasterKeys: value(SETTINGS.oldMasterKeys),
    },
    sharedSecrets: sharedSecretsIn(env),
    equalSecrets: equalSecretsIn(env),
    payments: paymentsFrom(value),
    mail: { smtpUrl: value(SETTINGS.smtpUrl), from: value(SETTINGS.mailFrom) },
    push: pushFrom(value),
    oauth: oauthFrom(value),
    files: filesFrom(value),
    ingest: { url: value(SETTINGS.ingestUrl), networks: value(SETTINGS.ingestNetworks) },
    media: {
      sendsHooks: value(SETTINGS.mediaHooks) === "yes",
      controlUrl: value(SETTINGS.mediaControlUrl),
      url: value(SETTINGS.mediaUrl),
    },
    edge: {
      url: value(SETTINGS.edgeUrl),
      keys: value(SETTINGS.edgeKeys),
      hasLowLatency: value(SETTINGS.edgeLowLatency) === "yes",
    },
    limits: { factor: value(SETTINGS.rateLimitFactor) },
    apiConcurrency: value(SETTINGS.apiConcurrency),
    apps: { ios: value(SETTINGS.iosVersions), android: value(SETTINGS.androidVersions) },
  };
}

function paymentsFrom(value: Reader): Settings["payments"] {
  const secretKey = value(SETTINGS.stripeSecretKey);
  const [one, two, three] = value(SETTINGS.tierPrices);
  return {
    currency: value(SETTINGS.currency),
    tierCents: { 1: one, 2: two, 3: three },
    stripe: secretKey && { secretKey, webhookSecrets: value(SETTINGS.stripeWebhookSecrets) },
    returnUrl: value(SETTINGS.checkoutReturnUrl) ?? value(SETTINGS.publicUrl),
  };
}

function pushFrom(value: Reader): Settings["push"] {
  const [privateKey, key] = [value(SETTINGS.vapidPrivateKey), value(SETTINGS.apnsKey)];
  return {
    vapid: privateKey && { privateKey, subject: value(SETTINGS.vapidSubject) ?? "" },
    apns: key && {
      key,
      keyId: value(SETTINGS.apnsKeyId) ?? "",
      teamId: value(SETTINGS.apnsTeamId) ?? "",
      topic: value(SETTINGS.apnsTopic) ?? "",
      isSandbox: value(SETTINGS.apnsSandbox) === "yes",
    },
    fcm: value(SETTINGS.fcmServiceAccount),
  };
}

function oauthFrom(value: Reader): Settings["oauth"] {
  const publicUrl = value(SETTINGS.publicUrl);
  const [first = `${publicUrl}/sign-in`, ...more] = value(SETTINGS.oauthReturnUrls);
  return { providers: value(SETTINGS.oauthProviders), returnUrls: [first, ...more] };
}

function filesFrom(value: Reader): Settings["files"] {
  const [bucket, secretAccessKey] = [value(SETTINGS.s3Bucket), value(SETTINGS.s3SecretAccessKey)];
  const account = { endpoint: value(SETTINGS.s3Endpoint), region: value(SETTINGS.s3Region) };
  return {
    folder: resolve(value(SETTINGS.filesDir) ?? join(homeFolder(value(SETTINGS.home)), "files")),
    s3:
      bucket === null || secretAccessKey === null
        ? null
        : { bucket, ...account, accessKeyId: value(SETTINGS.s3AccessKeyId) ?? "", secretAccessKey },
  };
}

const absolute = (path: string | null): string | null => (path === null ? null : resolve(path));

const LOOPBACK = "127.0.0.1";

/** At least two, so that when one worker dies another one still answers. */
const count = (setting: number | "auto"): number =>
  setting === "auto" ? Math.max(2, Math.min(8, Math.floor(availableParallelism() / 2))) : setting;

/** Variables that are missing, or whose value has another form. */
const invalidIn = (env: Environment, mayBeMissing: readonly string[]): string[] =>
  Object.values(SETTINGS).flatMap((setting: Setting<unknown>) => {
    const text = given(env, setting);
    if (text === null) return mayBeMissing.includes(setting.name) ? [] : [missing(setting)];
    try {
      setting.schema.parse(text);
      return [];
    } catch (err) {
      return [`${setting.name} ${err instanceof Error ? err.message : String(err)}.`];
    }
  });

function problemsOf(env: Environment, mayBeMissing: readonly string[]): string[] {
  const problems = invalidIn(env, mayBeMissing);
  return [
    ...problems,
    ...sharedPorts(env, problems),
    ...unsignedStripe(env),
    ...unnamedPushers(env),
    ...peerProblems(env),
    ...equalSecretProblems(env),
    ...unaddressed(env),
    ...unsent(env),
    ...plainProviders(env, problems),
    ...unstored(env),
  ];
}

/** Without webhook secrets no payment could be reported: users would pay and get nothing. */
function unsignedStripe(env: Environment): string[] {
  const { stripeSecretKey, stripeWebhookSecrets } = SETTINGS;
  return given(env, stripeSecretKey) && !given(env, stripeWebhookSecrets)
    ? [missing(stripeWebhookSecrets)]
    : [];
}

/** Push services require the sender's identity. */
function unnamedPushers(env: Environment): string[] {
  const { vapidPrivateKey, vapidSubject, apnsKey, apnsKeyId, apnsTeamId, apnsTopic } = SETTINGS;
  return [
    ...(given(env, vapidPrivateKey) ? [vapidSubject] : []),
    ...(given(env, apnsKey) ? [apnsKeyId, apnsTeamId, apnsTopic] : []),
  ]
    .filter((setting: Setting<unknown>) => !given(env, setting))
    .map(missing);
}

/** A bucket needs credentials. Without a bucket, production must name the folder of uploaded pictures. */
function unstored(env: Environment): string[] {
  const { filesDir, s3Bucket, s3AccessKeyId, s3SecretAccessKey } = SETTINGS;
  if (given(env, s3Bucket)) {
    return [s3AccessKeyId, s3SecretAccessKey]
      .filter((setting: Setting<unknown>) => !given(env, setting))
      .map(missing);
  }
  return isProduction(env) && !given(env, filesDir) ? [missing(filesDir)] : [];
}

/** Without mail nobody could recover an account. */
function unsent(env: Environment): string[] {
  const { smtpUrl, mailFrom } = SETTINGS;
  if (!isProduction(env)) return [];
  return [smtpUrl, mailFrom]
    .filter((setting: Setting<unknown>) => (given(env, setting) ?? "") === setting.fallback)
    .map(missing);
}

/** Codes and tokens are sent over these addresses, so production refuses plain http. */
function plainProviders(env: Environment, problems: readonly string[]): string[] {
  const { oauthProviders, oauthReturnUrls } = SETTINGS;
  const isRead = [oauthProviders, oauthReturnUrls].every(
    ({ name }: Setting<unknown>) => !problems.some((problem) => problem.startsWith(`${name} `)),
  );
  if (!isProduction(env) || !isRead) return [];
  const value = reader(env);
  return plainIn(value(oauthProviders), value(oauthReturnUrls)).map(
    (name) => `${oauthProviders.name} or ${oauthReturnUrls.name} has an http address in production: ${name}.`,
  );
}

/** Links would lead nowhere, which is noticed only from outside. */
function unaddressed(env: Environment): string[] {
  const { publicUrl } = SETTINGS;
  const isLeftOut = given(env, publicUrl)?.replace(/(?<!\/)\/+$/, "") === publicUrl.fallback;
  return isProduction(env) && isLeftOut
    ? [`${publicUrl.name} is missing, or still ${publicUrl.fallback}. ${publicUrl.meaning}`]
    : [];
}

const hintFor = (env: Environment): string =>
  isProduction(env) && given(env, SETTINGS.environment) === null
    ? "\nNODE_ENV isn't set, and since MONGODB_URL or REDIS_URL is, this counts as production. To try something out on " +
      "these stores, set NODE_ENV=development."
    : "";

/** Compared as numbers: 8080 and 08080 are the same port. An invalid port is reported as a problem of its own already. */
function sharedPorts(env: Environment, problems: readonly string[]): string[] {
  const ports = [SETTINGS.port, SETTINGS.realtimePort, SETTINGS.metricsPort]
    .filter(({ name }) => !problems.some((problem) => problem.startsWith(`${name} `)))
    .map(reader(env));
  return new Set(ports).size === ports.length
    ? []
    : ["PORT, REALTIME_PORT and METRICS_PORT must be three different ports."];
}
