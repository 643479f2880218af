/**
 * The primary, from start to stop. `lifecycle` undoes each step in reverse order:
 * 1. load settings; 2. claim the home and end what a killed run left; 3. probe ports, and write the pid file; 4. start development services; 5.
 *    check the stores and the host's clock, and go on checking; 6. open the internal port; 7. complete the database's schema, which may take hours; 8.
 *    fork workers and wait until they are ready; 9. print the banner.
 * A signal during any step cancels the rest and undoes what was done.
 */
import type { RequestListener } from "node:http";
import type { Log } from "../../store/log.ts";
import { hostsIn } from "../../store/mongo/hosts.ts";
import { type Config, ConfigError, loadConfig, loadSettings, type Settings } from "../config/config.ts";
import type { Environment } from "../config/environment.ts";
import { SETTINGS } from "../config/settings.ts";
import { variablesOf } from "../config/taken-by.ts";
import type { ProcessKind } from "../config/worker-kinds.ts";
import { withDevelopmentSecrets } from "../home/secrets.ts";
import { startDevelopmentMail } from "../mail/development.ts";
import { prometheusMeter } from "../metrics/meter.ts";
import { processRegistry } from "../metrics/registry.ts";
import { createDevelopmentCheckout } from "../payments/checkout-app.ts";
import { developmentPlatformOf } from "../payments/platforms.ts";
import { nodeEnvironment } from "../process/child-environment.ts";
import { createLifecycle, type Lifecycle } from "../process/lifecycle.ts";
import { processLogger, reportDroppedLines } from "../process/logger.ts";
import { standardOutput } from "../process/standard-output.ts";
import { StartError } from "../process/start-error.ts";
import type { DevelopmentServices } from "../services/development.ts";
import { makeSocketFolder } from "../upgrade-splice/socket-folder.ts";
import { banner } from "./banner.ts";
import { type Claim, claimHome } from "./claim.ts";
import { clockCheck, clockReadings, startHostClock } from "./host-clock.ts";
import { startInternalServer, workerChecks } from "./internal-server.ts";
import { SCHEMA_STEP_VARIABLE, SOCKET_FOLDER_VARIABLE } from "./messages.ts";
import { CLOCK_METRICS, WORKER_METRICS, workerReadings } from "./metrics.ts";
import { startOwnStores } from "./own-stores.ts";
import { onParentGone } from "./parent.ts";
import { type PidFile, writePidFile } from "./pid-file.ts";
import { requireFreePorts } from "./ports.ts";
import { createSchemaStep, type SchemaStep } from "./schema-step.ts";
import { listenForSignals } from "./signals.ts";
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
  /** Called once everything runs; what it throws ends the run. */
  ready?: (config: Config) => Promise<void>;
};

/** Runs until a signal or a failure ends it. Resolves with the exit code once everything is closed. */
export async function runPrimary(options: PrimaryOptions): Promise<number> {
  const run = new PrimaryRun(options);
  const forgetSignals = listenForSignals(process, {
    stop: (signal) => run.stop(signal),
    force: (signal) => run.force(signal),
    roll: () => run.roll(),
  });
  const forgetParent = onParentGone(options.env, {
    stop: () => run.stop("its parent has gone"),
    goOn: () => run.goOnWithoutNpm(),
  });
  try {
    return await run.toTheEnd();
  } finally {
    forgetSignals();
    forgetParent();
    await standardOutput().written(1_000);
  }
}

class PrimaryRun {
  readonly #options: PrimaryOptions;
  readonly #stopped = new AbortController();
  #services: DevelopmentServices | null = null;
  #supervisor: Supervisor | null = null;
  #schema: SchemaStep | null = null;
  #pidFile: PidFile | null = null;
  #log: Log | null = null;

  constructor(options: PrimaryOptions) {
    this.#options = options;
  }

  /** Begins the stop; further calls do nothing. */
  stop(why: string): void {
    if (this.#stopped.signal.aborted) return;
    this.#log?.info({ why }, "stopping");
    this.#options.say("Stopping …");
    this.#stopped.abort();
  }

  /** A forced stop: exits at once. Workers exit when this process is gone; the stores are sent SIGTERM. */
  force(signal: string): void {
    this.#log?.warn({ signal }, "stopping at once");
    this.#services?.terminate();
    process.exit(1);
  }

  /** Called once when npm has ended without a stop. */
  goOnWithoutNpm(): void {
    const fields = { pid: process.pid, pidFile: this.#pidFile?.path };
    this.#log?.warn(fields, "npm ended: the service goes on, signal its own process");
  }

  roll(): void {
    this.#roll().catch((err: unknown) => {
      if (!this.#stopped.signal.aborted) this.#log?.error({ err }, "replacing workers failed");
    });
  }

  async #roll(): Promise<void> {
    if (this.#supervisor === null) return;
    await this.#schema?.run();
    await this.#supervisor.roll();
  }

  async toTheEnd(): Promise<number> {
    let lifecycle: Lifecycle | null = null;
    try {
      const env = withDevelopmentSecrets(this.#options.env);
      const settings = loadSettings(env);
      this.#log = processLogger(settings, "primary");
      for (const one of settings.sharedSecrets)
        this.#log.warn(one, "secret shared by several services: set one for each");
      for (const variables of settings.equalSecrets)
        this.#log.warn({ variables }, "secret shared by two variables: set one for each");
      lifecycle = createLifecycle(this.#log);
      const supervisor = await this.#bringUp(lifecycle, settings, env);
      await Promise.race([this.#untilStopped(), this.#failure(supervisor)]);
      return 0;
    } catch (err) {
      if (this.#stopped.signal.aborted) return 0;
      this.#complain(err);
      return 1;
    } finally {
      await lifecycle?.stop();
      this.#log?.info("stopped");
    }
  }

  async #bringUp(lifecycle: Lifecycle, settings: Settings, env: Record<string, string>): Promise<Supervisor> {
    const startedAt = performance.now();
    const { say } = this.#options;
    const { signal } = this.#stopped;
    const log = this.#log ?? processLogger(settings, "primary");
    let recordWorkers: Claim["recordWorkers"] = () => undefined;

    if (settings.env !== "production") {
      const claim = await lifecycle.start(
        "claim",
        () => claimHome(settings.home, say),
        (held) => held.release(),
      );
      recordWorkers = claim.recordWorkers;
    }
    await requireFreePorts(settings);
    signal.throwIfAborted();
    const pidFile = await lifecycle.start(
      "pid file",
      () => writePidFile(settings, log),
      (written) => written?.remove(),
    );
    this.#pidFile = pidFile;
    const started = (services: DevelopmentServices) => {
      this.#services = services;
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
    const envOf = (kind: ProcessKind) =>
      nodeEnvironment(workerEnv, [...variablesOf(kind), ...(this.#options.passes ?? [])]);
    const { entry, execArgv } = this.#options;
    const schema = await lifecycle.start(
      "schema step",
      () => createSchemaStep({ entry: entry("schema"), execArgv, env: envOf("schema"), log, say }),
      (step) => step.stop(),
      { deadlineMs: 10_000 },
    );
    const supervisor = createSupervisor({
      ...this.#options,
      workers: config.workers,
      env: (kind) => ({
        ...envOf(kind),
        [SOCKET_FOLDER_VARIABLE]: sockets.path,
        [SCHEMA_STEP_VARIABLE]: "primary",
      }),
      graceMs: config.graceMs,
      log,
      onWaiting: () => schema.runForWaiting(),
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
      () => this.#serveInternally(config, { log, supervisor, watch, schema, mailbox: mail.app }),
      (one) => one.close(),
    );
    await Promise.race([schema.run(), this.#untilStopped()]);
    signal.throwIfAborted();
    this.#schema = schema;
    const { graceMs } = config;
    await lifecycle.start(
      "workers",
      () => supervisor,
      (all) => all.drain(graceMs),
      { deadlineMs: graceMs + 5_000 },
    );
    this.#supervisor = supervisor;
    await Promise.race([supervisor.start(), this.#failure(supervisor), this.#untilStopped()]);
    signal.throwIfAborted();
    const startedInMs = performance.now() - startedAt;
    const { pid } = process;
    const hasMailbox = mail.app !== null;
    say(banner(config, { startedInMs, hasMailbox, pid, pidFile: pidFile?.path ?? null }));
    await this.#options.ready?.(config);
    return supervisor;
  }

  #serveInternally(
    config: Config,
    {
      log,
      supervisor,
      watch,
      schema,
      mailbox,
    }: {
      log: Log;
      supervisor: Supervisor;
      watch: StoreWatch;
      schema: SchemaStep;
      mailbox: RequestListener | null;
    },
  ) {
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
      checkout: payments && createDevelopmentCheckout(payments),
      mailbox,
      workers: () => supervisor.metrics(),
      readiness: async () => {
        const stores = await watch.check();
        const workers = workerChecks(supervisor.counts());
        const clock = clockCheck();
        const storesReady = Object.values(stores).every((answer) => answer === "ok");
        return {
          ready: storesReady && workers.ready && clock.ready && !this.#stopped.signal.aborted,
          checks: { ...stores, schema: schema.state(), ...workers.checks, ...clock.checks },
        };
      },
    });
  }

  async #failure(supervisor: Supervisor): Promise<never> {
    throw new StartError(await supervisor.gaveUp);
  }

  #untilStopped(): Promise<void> {
    const { signal } = this.#stopped;
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  #complain(err: unknown): void {
    const { complain } = this.#options;
    if (err instanceof StartError || err instanceof ConfigError) complain(err.message);
    else {
      this.#log?.error({ err }, "the primary failed");
      complain(`livecore failed: ${err instanceof Error ? err.message : String(err)}`);
    }
  }
}
