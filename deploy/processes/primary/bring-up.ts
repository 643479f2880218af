import type { RequestListener } from "node:http";
import type { EveningState } from "../../../api/discovery/site/development.ts";
import type { Log } from "../../../base/log.ts";
import { hostsIn } from "../../../store/mongo/driver/hosts.ts";
import { startDevelopmentMail } from "../../development/mail/development.ts";
import { createDevelopmentCheckout } from "../../development/payments/checkout-app.ts";
import type { DevelopmentServices } from "../../development/stores/development.ts";
import { type Config, loadConfig, type Settings } from "../config/config.ts";
import type { Environment } from "../config/environment.ts";
import { SETTINGS } from "../config/settings.ts";
import { variablesOf } from "../config/taken-by.ts";
import type { ProcessKind } from "../config/worker-kinds.ts";
import { prometheusMeter } from "../metrics/meter.ts";
import { processRegistry } from "../metrics/registry.ts";
import { nodeEnvironment } from "../process/child-environment.ts";
import type { Lifecycle } from "../process/lifecycle.ts";
import { reportDroppedLines } from "../process/logger.ts";
import {
  CLOCK_AHEAD_VARIABLE,
  EVENING_VARIABLE,
  MAILBOX_VARIABLE,
  SCHEMA_STEP_VARIABLE,
  SOCKET_FOLDER_VARIABLE,
} from "../process/messages.ts";
import { StartError } from "../process/start-error.ts";
import { createSchemaStep, type SchemaStep } from "../schema/schema-step.ts";
import { makeSocketFolder } from "../upgrade-splice/socket-folder.ts";
import { developmentPlatformOf } from "../workers/payment-platforms.ts";
import { banner, internalUrl } from "./banner.ts";
import { type Claim, claimHome } from "./claim.ts";
import { aheadOfHost, clockCheck, clockReadings, startHostClock } from "./host-clock.ts";
import { startInternalServer, workerChecks } from "./internal-server.ts";
import { CLOCK_METRICS, WORKER_METRICS, workerReadings } from "./metrics.ts";
import { checkOpenFiles } from "./open-files-check.ts";
import { startOwnStores } from "./own-stores.ts";
import { type PidFile, writePidFile } from "./pid-file.ts";
import { requireFreePorts } from "./ports.ts";
import { type StoreWatch, watchStores } from "./store-watch.ts";
import { openStoreProbe } from "./stores.ts";
import { createSupervisor, type Supervisor } from "./supervisor.ts";

export type PrimaryOptions = {
  env: Environment;
  say: (line: string) => void;
  complain: (line: string) => void;
  /** The module that a process of this kind runs, and Node's own arguments for it. */
  entry: (kind: ProcessKind) => string;
  execArgv: readonly string[];
  /** Further variables for workers; only in specs, whose workers are others. */
  passes?: readonly string[];
  /** How long a worker may take until it is ready; only in specs. */
  readyWithinMs?: number;
  /** The demo evening of the front page; null where none is offered. */
  demoEvening?: (deps: {
    config: Config;
    log: Log;
    changed: (state: EveningState) => void;
  }) => { start(): void; stop(): Promise<void> } | null;
  /** Called once everything runs; what it throws ends the run. */
  ready?: (config: Config) => Promise<void>;
};

/** What signals act on; each is there once its step is done. */
export type PrimaryParts = {
  services: DevelopmentServices | null;
  pidFile: PidFile | null;
  schema: SchemaStep | null;
  supervisor: Supervisor | null;
};

type BringUp = {
  options: PrimaryOptions;
  lifecycle: Lifecycle;
  settings: Settings;
  env: Record<string, string>;
  log: Log;
  /** Aborted by a stop. */
  signal: AbortSignal;
  parts: PrimaryParts;
};

/** Starts everything, a step after the other as primary.ts lists them. Rejects when a step fails, a worker gives up, or at a stop. */
export async function bringUp(of: BringUp): Promise<Supervisor> {
  const startedAt = performance.now();
  const { lifecycle, settings, env, log, signal, parts } = of;
  const { say, entry, execArgv, passes = [] } = of.options;
  let recordWorkers: Claim["recordWorkers"] = () => undefined;

  if (settings.env !== "production") {
    const claim = await lifecycle.start(
      "claim",
      () => claimHome(settings.home, say),
      (held) => held.release(),
    );
    recordWorkers = claim.recordWorkers;
  }
  checkOpenFiles(settings, log);
  await requireFreePorts(settings);
  signal.throwIfAborted();
  const pidFile = await lifecycle.start(
    "pid file",
    () => writePidFile(settings, log),
    (written) => written?.remove(),
  );
  parts.pidFile = pidFile;
  const started = (services: DevelopmentServices) => {
    parts.services = services;
  };
  const stores = await startOwnStores({ lifecycle, settings, env, say, log, signal, started });
  signal.throwIfAborted();
  // Workers get the stores' addresses as if they had been configured.
  const mail = await startDevelopmentMail(lifecycle, settings);
  const workerEnv = { ...env, ...stores, ...mail.env, [SETTINGS.environment.name]: settings.env };
  const config = loadConfig(workerEnv);
  const probe = await lifecycle.start(
    "store connections",
    () => openStoreProbe(config, log),
    (one) => one.close(),
  );

  await startHostClock(lifecycle, { stores: probe.stores, log });
  const sockets = await lifecycle.start(
    "socket folder",
    () => makeSocketFolder(config.env === "production" ? null : config.home),
    (folder) => folder.remove(),
  );
  const envOf = (kind: ProcessKind) => nodeEnvironment(workerEnv, [...variablesOf(kind), ...passes]);
  const schema = await lifecycle.start(
    "schema step",
    () => createSchemaStep({ entry: entry("schema"), execArgv, env: envOf("schema"), log, say }),
    (step) => step.stop(),
    { deadlineMs: 10_000 },
  );
  const changed = (state: EveningState) => supervisor.sendEvening(state);
  const evening = of.options.demoEvening?.({ config, log, changed }) ?? null;
  const supervisor: Supervisor = createSupervisor({
    ...of.options,
    workers: config.workers,
    env: (kind) => ({
      ...envOf(kind),
      [SOCKET_FOLDER_VARIABLE]: sockets.path,
      [SCHEMA_STEP_VARIABLE]: "primary",
      [CLOCK_AHEAD_VARIABLE]: String(aheadOfHost()),
      ...(mail.app ? { [MAILBOX_VARIABLE]: `${internalUrl(config)}/mail` } : {}),
      ...(evening ? { [EVENING_VARIABLE]: "offered" } : {}),
    }),
    graceMs: config.graceMs,
    log,
    onWaiting: () => schema.runForWaiting(),
    onEvening: () => evening?.start(),
    changed: (workers) => recordWorkers(workers),
  });
  const ready = () => supervisor.counts().flatMap(({ kind, ready }) => (ready > 0 ? [kind] : []));
  const watch = await lifecycle.start(
    "store watch",
    () => watchStores({ probe, hosts: hostsIn(probe.stores.db), ready, send: supervisor.sendStores, log }),
    (one) => one.stop(),
  );
  await lifecycle.start(
    "internal port",
    () => serveInternally({ config, log, supervisor, watch, schema, mailbox: mail.app, signal }),
    (one) => one.close(),
  );
  await Promise.race([schema.run(), untilStopped(signal)]);
  signal.throwIfAborted();
  parts.schema = schema;
  const { graceMs } = config;
  await lifecycle.start(
    "workers",
    () => supervisor,
    (all) => all.drain(graceMs),
    { deadlineMs: graceMs + 5_000 },
  );
  parts.supervisor = supervisor;
  await Promise.race([supervisor.start(), failureOf(supervisor), untilStopped(signal)]);
  signal.throwIfAborted();
  await lifecycle.start(
    "demo evening",
    () => evening,
    (one) => one?.stop(),
  );
  const startedInMs = performance.now() - startedAt;
  const { pid } = process;
  const hasMailbox = mail.app !== null;
  say(banner(config, { startedInMs, hasMailbox, pid, pidFile: pidFile?.path ?? null }));
  await of.options.ready?.(config);
  return supervisor;
}

function serveInternally({
  config,
  log,
  supervisor,
  watch,
  schema,
  mailbox,
  signal,
}: {
  config: Config;
  log: Log;
  supervisor: Supervisor;
  watch: StoreWatch;
  schema: SchemaStep;
  mailbox: RequestListener | null;
  signal: AbortSignal;
}) {
  const payments = developmentPlatformOf(config);
  const own = processRegistry("primary");
  const meter = prometheusMeter(own);
  meter.read(WORKER_METRICS, () => workerReadings(supervisor.counts()));
  meter.read(CLOCK_METRICS, clockReadings);
  reportDroppedLines(log, meter);
  return startInternalServer({
    ...config.metrics,
    log,
    own,
    checkout: payments && createDevelopmentCheckout(payments, config),
    mailbox,
    workers: () => supervisor.metrics(),
    readiness: async () => {
      const stores = await watch.check();
      const workers = workerChecks(supervisor.counts());
      const clock = clockCheck();
      const storesReady = Object.values(stores).every((answer) => answer === "ok");
      return {
        ready: storesReady && workers.ready && clock.ready && !signal.aborted,
        checks: { ...stores, schema: schema.state(), ...workers.checks, ...clock.checks },
      };
    },
  });
}

/** Rejects with the reason when the supervisor gives up. */
export async function failureOf(supervisor: Supervisor): Promise<never> {
  throw new StartError(await supervisor.gaveUp);
}

export function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
