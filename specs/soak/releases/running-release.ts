import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { freePorts } from "../../../deploy/development/stores/ports.ts";
import { hasFields } from "../../stress/parent.ts";
import { eventually } from "../../support/eventually.ts";

/** A service of one release, as `npm start` runs it. */
export type RunningRelease = {
  name: string;
  http: string;
  port: number;
  /** Log lines of errors, and of workers that died. */
  complaints(): string[];
  /** Drains it. Throws when it ends in another way. */
  stop(): Promise<void>;
};

/** The older release is installed and built by its first start. */
const READY_WITHIN_MS = 540_000;
const LAST_LINES = 20;
const DIED = "a worker died";

/** Starts the release in `folder` with one worker of each kind, and waits until it serves. */
export async function startRelease(options: {
  name: string;
  folder: string;
  env: Record<string, string | undefined>;
}): Promise<RunningRelease> {
  const { name, folder } = options;
  const [port = 0, realtimePort, metricsPort] = await freePorts(3);
  const env = {
    ...options.env,
    PORT: String(port),
    REALTIME_PORT: String(realtimePort),
    METRICS_PORT: String(metricsPort),
    API_WORKERS: "1",
    REALTIME_WORKERS: "1",
    JOBS_WORKERS: "1",
    npm_lifecycle_event: undefined,
  };
  const child = spawn(process.execPath, ["deploy/start.mjs"], { cwd: folder, env });
  const lines = linesOf(child);
  const ended = once(child, "close");
  const lastLines = () => lines.slice(-LAST_LINES).join("\n");
  const failed = ended.then(() => {
    throw new Error(`${name} ended: ${lastLines()}`);
  });
  // Later ends are for `stop`.
  failed.catch(() => undefined);
  const isReady = () => lines.some((line) => line.includes("livecore is ready"));
  await Promise.race([failed, eventually(isReady, { withinMs: READY_WITHIN_MS, what: `${name} is ready` })]);
  return {
    name,
    http: `http://127.0.0.1:${port}`,
    port,
    complaints: () => lines.filter(isComplaint),
    async stop() {
      child.kill("SIGTERM");
      const [code, signal] = await ended;
      if (code !== 0) throw new Error(`${name} ended with ${code ?? signal}: ${lastLines()}`);
    },
  };
}

function linesOf(child: ChildProcess): string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = "";
    stream?.setEncoding("utf8").on("data", (text: string) => {
      const parts = (rest + text).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts);
    });
  }
  return lines;
}

function isComplaint(line: string): boolean {
  if (!line.startsWith("{")) return false;
  const entry: unknown = JSON.parse(line);
  if (!hasFields(entry, "level", "msg")) return false;
  return entry.level === "error" || String(entry.msg).startsWith(DIED);
}
