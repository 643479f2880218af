import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import type { Log } from "../../../base/log.ts";
import { fromSchema, WORKER_VARIABLE } from "../process/messages.ts";
import { endProcess, identify } from "../process/process-record.ts";
import { StartError } from "../process/start-error.ts";

const STOPS_WITHIN_MS = 6_000;
const AGAIN_AFTER_MS = 30_000;

/**
 * Completes the database's schema in a process of its own, so that this one can be asked how it stands, and so that SIGUSR2 runs the
 * migrations of the release that is on disk by then. There is no deadline.
 */
export type SchemaStep = {
  /** Resolves when the schema is complete, and rejects with a StartError that says why it can't be. One at a time. */
  run(): Promise<void>;
  /** For a worker that waits: like `run`, but not again soon after a failure, which is logged. */
  runForWaiting(): void;
  /** "ok", or how it stands. */
  state(): string;
  stop(): Promise<void>;
};

export function createSchemaStep(options: {
  entry: string;
  execArgv: readonly string[];
  /** All that it gets. */
  env: Record<string, string>;
  log: Log;
  say: (line: string) => void;
}): SchemaStep {
  const { entry, execArgv, env, log, say } = options;
  let running: Promise<void> | null = null;
  let child: ChildProcess | null = null;
  let state = "not run yet";
  let failedAt: number | null = null;
  let isStopped = false;

  async function runOnce(): Promise<void> {
    if (isStopped) throw new StartError("The schema step wasn't run: the service stops.");
    // A release without it, which SIGUSR2 goes back to: its workers do this themselves.
    if (!existsSync(entry)) return;
    state = "running";
    const started = fork(entry, ["schema"], {
      execArgv: [...execArgv],
      env: { ...env, [WORKER_VARIABLE]: "schema" },
    });
    child = started;
    let reason: string | null = null;
    started.on("message", (raw: unknown) => {
      const message = fromSchema(raw);
      if (message?.livecore === "failed") reason = message.reason;
      if (message?.livecore !== "progress") return;
      state = message.line;
      say(message.line);
    });
    const ended = await new Promise<string | null>((resolve) => {
      started.once("error", (err) => resolve(err.message));
      started.once("exit", (code, signal) =>
        resolve(code === 0 ? null : signal === null ? `exit code ${code}` : `ended by ${signal}`),
      );
    });
    child = null;
    if (ended === null) return;
    throw new StartError(reason ?? `The schema step failed: ${ended}.`);
  }

  function run(): Promise<void> {
    running ??= runOnce()
      .then(
        () => {
          state = "ok";
          failedAt = null;
        },
        (err: unknown) => {
          state = `failed: ${err instanceof Error ? err.message : String(err)}`;
          failedAt = performance.now();
          throw err;
        },
      )
      .finally(() => {
        running = null;
      });
    return running;
  }

  return {
    run,
    state: () => state,
    runForWaiting() {
      const isTooSoon = failedAt !== null && performance.now() - failedAt < AGAIN_AFTER_MS;
      if (running || isTooSoon || isStopped) return;
      run().catch((err: unknown) => {
        if (!isStopped) log.error({ err }, "schema step failed: workers wait");
      });
    },
    async stop() {
      isStopped = true;
      const process = child;
      if (process?.pid === undefined) return;
      const record = identify(process.pid);
      // The callback swallows the error of a channel that has closed meanwhile.
      if (process.connected) process.send({ livecore: "drain" }, undefined, undefined, () => undefined);
      if (record !== null) await endProcess(record, STOPS_WITHIN_MS);
    },
  };
}
