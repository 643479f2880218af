import { availableParallelism } from "node:os";
import type { Environment } from "./environment.ts";
import { homeFolder } from "./project.ts";
import type { Secret } from "./secret.ts";
import { SETTINGS, type Setting } from "./settings.ts";

/** What can be known before the stores have an address. */
export type Settings = {
  env: "development" | "test" | "production";
  /** Absolute path. */
  home: string;
  http: {
    port: number;
    trustedProxies: readonly string[];
    allowedOrigins: readonly string[];
    cookieDomain: string | null;
    insecureCookies: boolean;
  };
  realtime: { port: number; trustedProxies: readonly string[]; allowedOrigins: readonly string[] };
  metrics: { port: number; host: string };
  workers: { api: number; realtime: number; jobs: number };
  /** For a whole stop, from the signal to the exit. */
  graceMs: number;
  log: { level: "debug" | "info" | "warn" | "error" };
  secrets: { systemKey: Secret; webhookSecrets: readonly Secret[]; masterKey: Secret };
  ingest: { url: string; networks: readonly string[] };
  edge: { url: string };
  limits: { factor: number };
};

export type Config = Settings & { mongo: { url: string; database: string }; redis: { url: string } };

/** Says every problem of a configuration at once, a line each. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration doesn't hold:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Everything, as a worker needs it. Throws ConfigError with all problems. */
export function loadConfig(env: Environment): Config {
  refuseProblems(env, []);
  const value = reader(env);
  return {
    ...settingsFrom(env),
    mongo: { url: value(SETTINGS.mongoUrl), database: value(SETTINGS.mongoDatabase) },
    redis: { url: value(SETTINGS.redisUrl) },
  };
}

/** As `loadConfig`, but outside production the stores' addresses may still be missing: they get started. */
export function loadSettings(env: Environment): Settings {
  refuseProblems(env, env.NODE_ENV === "production" ? [] : [SETTINGS.mongoUrl.name, SETTINGS.redisUrl.name]);
  return settingsFrom(env);
}

function settingsFrom(env: Environment): Settings {
  const value = reader(env);
  const environment = value(SETTINGS.environment);
  const trustedProxies = value(SETTINGS.trustedProxies);
  const allowedOrigins = value(SETTINGS.allowedOrigins);
  const cookies = value(SETTINGS.insecureCookies);
  return {
    env: environment,
    home: homeFolder(value(SETTINGS.home)),
    http: {
      port: value(SETTINGS.port),
      trustedProxies,
      allowedOrigins,
      cookieDomain: value(SETTINGS.cookieDomain),
      insecureCookies: cookies === "auto" ? environment !== "production" : cookies === "true",
    },
    realtime: { port: value(SETTINGS.realtimePort), trustedProxies, allowedOrigins },
    metrics: { port: value(SETTINGS.metricsPort), host: value(SETTINGS.metricsHost) },
    workers: {
      api: count(value(SETTINGS.apiWorkers)),
      realtime: count(value(SETTINGS.realtimeWorkers)),
      jobs: count(value(SETTINGS.jobsWorkers)),
    },
    graceMs: value(SETTINGS.graceSeconds) * 1_000,
    log: { level: value(SETTINGS.logLevel) },
    secrets: {
      systemKey: value(SETTINGS.systemKey),
      webhookSecrets: value(SETTINGS.webhookSecrets),
      masterKey: value(SETTINGS.masterKey),
    },
    ingest: { url: value(SETTINGS.ingestUrl), networks: value(SETTINGS.ingestNetworks) },
    edge: { url: value(SETTINGS.edgeUrl) },
    limits: { factor: value(SETTINGS.rateLimitFactor) },
  };
}

/** Two at least, so that a worker that dies leaves one that answers. */
const count = (asked: number | "auto"): number =>
  asked === "auto" ? Math.max(2, Math.min(8, Math.floor(availableParallelism() / 2))) : asked;

/** An empty variable counts as missing, as shells and compose files leave them. */
const given = (env: Environment, { name, fallback }: Setting<unknown>): string | null =>
  env[name]?.trim() || fallback;

const reader =
  (env: Environment) =>
  <T>(setting: Setting<T>): T =>
    setting.schema.parse(given(env, setting) ?? "");

function refuseProblems(env: Environment, mayBeMissing: readonly string[]): void {
  const problems = Object.values(SETTINGS).flatMap((setting: Setting<unknown>) => {
    const text = given(env, setting);
    if (text === null) {
      return mayBeMissing.includes(setting.name) ? [] : [`${setting.name} is missing. ${setting.meaning}`];
    }
    try {
      setting.schema.parse(text);
      return [];
    } catch (err) {
      return [`${setting.name} ${err instanceof Error ? err.message : String(err)}.`];
    }
  });
  if (env.NODE_ENV === "production" && env.INSECURE_COOKIES === "true") {
    problems.push("INSECURE_COOKIES must not be true in production.");
  }
  problems.push(...sharedPorts(env));
  if (problems.length > 0) throw new ConfigError(problems);
}

function sharedPorts(env: Environment): string[] {
  const ports = [SETTINGS.port, SETTINGS.realtimePort, SETTINGS.metricsPort];
  const taken = ports.map((setting) => given(env, setting));
  return new Set(taken).size === ports.length
    ? []
    : ["PORT, REALTIME_PORT and METRICS_PORT must be three different ports."];
}
