/**
 * The primary, from start to stop. `lifecycle` undoes each step in reverse order:
 * 1. load settings; 2. claim the home and end what a killed run left; 3. probe ports, and write the pid file; 4. start development services; 5.
 *    check the stores and the host's clock, and go on checking; 6. open the internal port; 7. complete the database's schema, which may take hours; 8.
 *    fork workers and wait until they are ready; 9. print the banner.
 * A signal during any step cancels the rest and undoes what was done.
 */
import type { Log } from "../../../base/log.ts";
import { withDevelopmentSecrets } from "../../development/home/secrets.ts";
import { ConfigError, loadSettings } from "../config/config.ts";
import { createLifecycle, type Lifecycle } from "../process/lifecycle.ts";
import { processLogger } from "../process/logger.ts";
import { standardOutput } from "../process/standard-output.ts";
import { StartError } from "../process/start-error.ts";
import { bringUp, failureOf, type PrimaryOptions, type PrimaryParts, untilStopped } from "./bring-up.ts";
import { onParentGone } from "./parent.ts";
import { listenForSignals } from "./signals.ts";

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
  readonly #parts: PrimaryParts = { services: null, pidFile: null, schema: null, supervisor: null };
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

  /** A forced stop: exits at once. Workers exit when this process is gone; the stores are sent SIGTERM, and the pid file is removed. */
  force(signal: string): void {
    this.#log?.warn({ signal }, "stopping at once");
    this.#parts.services?.terminate();
    this.#parts.pidFile?.remove();
    process.exit(1);
  }

  /** Called once when npm has ended without a stop. */
  goOnWithoutNpm(): void {
    const fields = { pid: process.pid, pidFile: this.#parts.pidFile?.path };
    this.#log?.warn(fields, "npm ended: the service goes on, signal its own process");
  }

  roll(): void {
    this.#roll().catch((err: unknown) => {
      if (!this.#stopped.signal.aborted) this.#log?.error({ err }, "replacing workers failed");
    });
  }

  async #roll(): Promise<void> {
    const { supervisor, schema } = this.#parts;
    if (supervisor === null) return;
    await schema?.run();
    await supervisor.roll();
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
      const supervisor = await bringUp({
        options: this.#options,
        lifecycle,
        settings,
        env,
        log: this.#log,
        signal: this.#stopped.signal,
        parts: this.#parts,
      });
      await Promise.race([untilStopped(this.#stopped.signal), failureOf(supervisor)]);
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

  #complain(err: unknown): void {
    const { complain } = this.#options;
    if (err instanceof StartError || err instanceof ConfigError) complain(err.message);
    else {
      this.#log?.error({ err }, "the primary failed");
      complain(`livecore failed: ${err instanceof Error ? err.message : String(err)}`);
    }
  }
}
