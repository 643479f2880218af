import inspector from "node:inspector";
import type { Registry } from "prom-client";
import type { Development } from "../../../api/discovery/site/development.ts";
import { type Audit, createAudit } from "../../../base/audit.ts";
import { processClock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Meter } from "../../../base/metrics.ts";
import { type Config, loadWorkerConfig } from "../config/config.ts";
import { processEnvironment } from "../config/environment.ts";
import { WORKER_KINDS, type WorkerKind } from "../config/worker-kinds.ts";
import { prometheusMeter } from "../metrics/meter.ts";
import { processRegistry } from "../metrics/registry.ts";
import { exitAfterLastLines, leaveSignalsToPrimary, tellPrimary } from "../process/child-of-primary.ts";
import { eveningOfPrimary } from "../process/evening-of-primary.ts";
import { createLatestStores } from "../process/latest-stores.ts";
import { createLifecycle, type Lifecycle } from "../process/lifecycle.ts";
import { createLogger, processLogger, reportDroppedLines } from "../process/logger.ts";
import {
  CLOCK_AHEAD_VARIABLE,
  EVENING_VARIABLE,
  type FromWorker,
  fromPrimary,
  HEARTBEAT_MS,
  MAILBOX_VARIABLE,
  SCHEMA_STEP_VARIABLE,
  SOCKET_FOLDER_VARIABLE,
  type StoreState,
} from "../process/messages.ts";
import { redactText } from "../process/redaction.ts";

const tell = tellPrimary<FromWorker>;

export type WorkerParts = {
  config: Config;
  log: Log;
  audit: Audit;
  lifecycle: Lifecycle;
  meter: Meter;
  /** Where realtime workers have their Unix sockets. */
  socketFolder: string;
  /** The kinds of which no worker is ready, as the primary says; all kinds until its first message. */
  absent: () => readonly WorkerKind[];
  /** Tells the primary that this worker waits for the schema; null under a primary that doesn't complete it. */
  waiting: (() => void) | null;
  /** What the primary last said of the stores; null while it is of an older release, and when it has said nothing for 10 s. */
  stores: () => StoreState | null;
  /** What the primary offers to developers; null in production. */
  development: Development | null;
};

/**
 * Runs this process as a worker of the primary: `open` starts everything through `lifecycle`, and the worker is ready when it
 * resolves. It drains when the primary says so, and exits at once when the primary is gone. It ignores signals from the terminal
 * and to the process group, which the primary handles.
 */
export function runWorker(kind: WorkerKind, open: (parts: WorkerParts) => Promise<void>): void {
  process.title = `livecore ${kind}`;
  leaveSignalsToPrimary();
  if (!process.send)
    throw new Error(`The ${kind} worker is started by livecore's primary: run \`npm start\`.`);
  process.on("disconnect", () => process.exit(1));
  void run(kind, open);
}

async function run(kind: WorkerKind, open: (parts: WorkerParts) => Promise<void>): Promise<void> {
  let log: Log = createLogger({ level: "info", process: kind, readable: false });
  const crash = (err: unknown) => {
    log.error({ err }, "the worker crashed");
    tell({ livecore: "failed", reason: inOneLine(err) }, () => void exitAfterLastLines(1));
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);

  let draining = false;
  let absent: readonly WorkerKind[] = WORKER_KINDS;
  const stores = createLatestStores();
  const evening = eveningOfPrimary(() => tell({ livecore: "start-evening" }));
  try {
    const env = processEnvironment();
    const config = loadWorkerConfig(env);
    const socketFolder = env[SOCKET_FOLDER_VARIABLE];
    if (!socketFolder) throw new Error(`The primary gave no ${SOCKET_FOLDER_VARIABLE}.`);
    const ahead = env[CLOCK_AHEAD_VARIABLE];
    if (ahead) processClock.begin(Number(ahead));
    log = processLogger(config, kind);
    const lifecycle = createLifecycle(log);
    const registry = processRegistry(kind);

    process.on("message", (raw: unknown) => {
      const message = fromPrimary(raw);
      if (message?.livecore === "drain" && !draining) {
        draining = true;
        void drain(lifecycle, log);
      } else if (message?.livecore === "absent") {
        absent = message.kinds;
      } else if (message?.livecore === "stores") {
        stores.receive(message);
      } else if (message?.livecore === "evening") {
        evening.receive(message.state);
      } else if (message?.livecore === "metrics") {
        void answerMetrics(registry, message.id, log);
      }
    });
    tell({ livecore: "hears" });
    // Audit lines have a level of their own: LOG_LEVEL must not filter them.
    const audit = createAudit(processLogger({ ...config, log: { level: "info" } }, kind));
    const meter = prometheusMeter(registry);
    reportDroppedLines(log, meter);
    await open({
      config,
      log,
      audit,
      lifecycle,
      meter,
      socketFolder,
      absent: () => absent,
      stores: stores.read,
      development:
        config.env === "production"
          ? null
          : {
              mailboxUrl: env[MAILBOX_VARIABLE] || null,
              evening: env[EVENING_VARIABLE] ? evening.control : null,
            },
      waiting: env[SCHEMA_STEP_VARIABLE] ? () => tell({ livecore: "waiting" }) : null,
    });
    log.info("ready");
    tell({ livecore: "ready" });
    if (inspector.url() === undefined) startHeartbeat();
  } catch (err) {
    // A start that a drain interrupted is no failure: the drain ends the process.
    if (!draining) crash(err);
  }
}

function startHeartbeat(): void {
  tell({ livecore: "alive" });
  setInterval(() => tell({ livecore: "alive" }), HEARTBEAT_MS).unref();
}

async function drain(lifecycle: Lifecycle, log: Log): Promise<void> {
  const unclean = await lifecycle.stop();
  log.info({ unclean }, "ended");
  await exitAfterLastLines(unclean.length === 0 ? 0 : 1);
}

async function answerMetrics(registry: Registry, id: number, log: Log): Promise<void> {
  try {
    tell({ livecore: "metrics", id, values: await registry.getMetricsAsJSON() });
  } catch (err) {
    log.error({ err }, "metrics couldn't be collected");
  }
}

const inOneLine = (err: unknown): string =>
  redactText(err instanceof Error ? err.message : String(err))
    .split("\n")
    .map((line) => line.trim())
    .join(" ")
    .slice(0, 500);
