import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { observePorts } from "../../contract/coverage/recorder.ts";
import { freePorts } from "../../deploy/development/stores/ports.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import {
  identify,
  isAlive,
  isMissing,
  type ProcessRecord,
} from "../../deploy/processes/process/process-record.ts";
import { bundle } from "./bundle.ts";
import { eventually } from "./eventually.ts";
import { takeDatabase } from "./own-stores.ts";

/** `kind` is "api", "realtime" or "jobs"; "" while a process is starting. */
export type WorkerRecord = ProcessRecord & { kind: string };

/** The service as real processes, as an operator sees it. */
export type Service = {
  pid: number;
  http: string;
  internal: string;
  env: Record<string, string | undefined>;
  output(): string;
  /** From now on nobody reads its standard output; returns a function that reads it again. */
  stopReading(): () => void;
  /** Within 45 s by default. */
  ready(withinMs?: number): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | string>;
  /** Its live workers. */
  workers(): WorkerRecord[];
};

const TOY = "specs/support/toy-primary.ts";

/**
 * The database for specs with a home or stores of their own. Secrets are kept in the home, and a database can be read only with
 * its own secrets: one database per home.
 */
const databaseOf = (home: string) => `livecore_service_${Buffer.from(home).toString("hex").slice(-24)}`;

/** Bundled, since the build in dist/ takes three times as long to start, and the sources even longer. */
async function commandOf(module: string, env: Record<string, string | undefined>): Promise<string[]> {
  if (module === TOY) {
    env.TOY_WORKER = await bundle("specs/support/toy-worker.ts");
    return [await bundle(TOY)];
  }
  return [await bundle(module)];
}

/** Tracks all processes that a spec starts, and ends them with the spec in any case. */
export function serviceHarness(module: "deploy/main.ts" | "deploy/development/media/main.ts" | typeof TOY) {
  const children: ChildProcess[] = [];
  const seen: ProcessRecord[] = [];
  const homes: string[] = [];
  const observed: (() => void)[] = [];
  const databases: { giveBack(): Promise<void> }[] = [];

  async function database(home: string, env: object): Promise<string> {
    if (module === TOY || "LIVECORE_HOME" in env || "MONGODB_URL" in env || "MONGODB_DATABASE" in env)
      return databaseOf(home);
    const taken = await takeDatabase();
    databases.push(taken);
    return taken.name;
  }

  return {
    /** `openFiles`: the limit of its processes. */
    async start(
      env: Record<string, string | undefined> = {},
      { openFiles }: { openFiles?: number } = {},
    ): Promise<Service> {
      const home = env.LIVECORE_HOME ?? mkdtempSync(join(tmpdir(), "livecore-service-"));
      homes.push(home);
      const [port, realtimePort, metricsPort] = await freePorts(3);
      const whole = {
        ...process.env,
        PORT: String(port),
        REALTIME_PORT: String(realtimePort),
        METRICS_PORT: String(metricsPort),
        API_WORKERS: "2",
        REALTIME_WORKERS: "1",
        JOBS_WORKERS: "1",
        GRACE_SECONDS: "10",
        LIVECORE_HOME: home,
        NODE_ENV: "test",
        MONGODB_DATABASE: await database(home, env),
        // All requests of a spec come from one address.
        RATE_LIMIT_FACTOR: "1000",
        npm_lifecycle_event: undefined,
        LIVECORE_ENDS_WITH_PARENT: undefined,
        ...env,
      };
      if (module !== TOY) observed.push(observePorts(Number(whole.PORT), Number(whole.REALTIME_PORT)));
      const command = [process.execPath, ...(await commandOf(module, whole))];
      const limit = openFiles === undefined ? ":" : `ulimit -n ${openFiles}`;
      const child = spawn("sh", ["-c", `${limit} && exec "$@"`, "sh", ...command], {
        cwd: projectRoot,
        env: whole,
      });
      children.push(child);
      const lines: string[] = [];
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk) => lines.push(String(chunk)));
      const pid = child.pid ?? 0;
      const ended = new Promise<number | string>((resolve) => {
        child.once("close", (code, signal) => resolve(code ?? signal ?? "unknown"));
      });
      return {
        pid,
        http: `http://127.0.0.1:${whole.PORT}`,
        internal: `http://127.0.0.1:${whole.METRICS_PORT}`,
        env: whole,
        output: () => lines.join(""),
        stopReading() {
          child.stdout.pause();
          return () => void child.stdout.resume();
        },
        signal: (name) => void child.kill(name),
        ended,
        async ready(withinMs = 45_000) {
          const isReady = () => lines.join("").includes("livecore is ready");
          const failed = ended.then((code) => {
            throw new Error(`it ended with ${code}: ${lines.join("")}`);
          });
          await Promise.race([failed, eventually(isReady, { withinMs, what: "ready" })]).catch(
            (err: unknown) => {
              throw new Error(`not ready: ${lines.join("")}`, { cause: err });
            },
          );
        },
        workers() {
          const living = childrenOf(pid);
          seen.push(...living);
          return living;
        },
      };
    },

    /** Workers of this harness's services that are still alive. */
    orphans: () => seen.filter(isAlive),

    async end(): Promise<void> {
      for (const close of observed.splice(0)) close();
      for (const child of children.splice(0)) {
        seen.push(...childrenOf(child.pid ?? 0));
        child.kill("SIGKILL");
      }
      const killed = seen.splice(0).filter(isAlive);
      for (const worker of killed) process.kill(worker.pid, "SIGKILL");
      await eventually(() => !killed.some(isAlive), { withinMs: 10_000, what: "all workers are dead" });
      await Promise.all(databases.splice(0).map((one) => one.giveBack()));
      for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Reads a process's children and their titles from Linux's /proc; specs of real processes run only there. */
function childrenOf(pid: number): WorkerRecord[] {
  return (unlessMissing(() => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")) ?? "")
    .split(" ")
    .filter(Boolean)
    .flatMap((child) => {
      const record = identify(Number(child));
      return record === null ? [] : [{ ...record, kind: kindOf(record) }];
    });
}

function kindOf({ pid }: ProcessRecord): string {
  const title = unlessMissing(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  return /^livecore (\w+)/.exec(title ?? "")?.[1] ?? "";
}

/** Null when the process has ended. */
function unlessMissing(read: () => string): string | null {
  try {
    return read();
  } catch (err) {
    if (isMissing(err)) return null;
    throw err;
  }
}
