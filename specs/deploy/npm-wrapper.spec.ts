// @waits: for a service whose parent ends.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { freePorts } from "../../deploy/development/stores/ports.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { identify, isAlive, type ProcessRecord } from "../../deploy/processes/process/process-record.ts";
import { bundle } from "../support/bundle.ts";
import { eventually } from "../support/eventually.ts";

describe("The service below npm", function () {
  this.timeout(90_000);
  let folder: string;
  let npm: ChildProcess | null = null;
  let service: ProcessRecord | null = null;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "livecore-npm-"));
  });
  afterEach(async () => {
    const started = service;
    if (started !== null && isAlive(started)) process.kill(started.pid, "SIGTERM");
    await eventually(() => started === null || !isAlive(started));
    npm?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  /** A package with our start script, which runs a module of specs/support from its source. */
  function writePackage(module: string): void {
    const script = join(projectRoot, "deploy/start.mjs");
    const scripts = { start: `exec node ${script} --dev --run specs/support/${module}` };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "toy", version: "1.0.0", scripts }));
  }

  async function startByNpm(env: Record<string, string> = {}) {
    writePackage("toy-primary");
    const [port, realtimePort, metricsPort] = await freePorts(3);
    const home = join(folder, "home");
    const child = spawn("npm", ["start"], {
      cwd: folder,
      env: {
        ...process.env,
        TOY_WORKER: await bundle("specs/support/toy-worker.ts"),
        NODE_ENV: "test",
        LIVECORE_HOME: home,
        MONGODB_DATABASE: "livecore_toy",
        PORT: String(port),
        REALTIME_PORT: String(realtimePort),
        METRICS_PORT: String(metricsPort),
        API_WORKERS: "1",
        REALTIME_WORKERS: "1",
        ...env,
      },
    });
    npm = child;
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        output += String(chunk);
      });
    await eventually(() => output.includes("livecore is ready"), { withinMs: 45_000, what: "ready" });
    const pidFile = env.PID_FILE ?? join(home, "livecore.pid");
    const pid = Number(readFileSync(pidFile, "utf8"));
    service = identify(pid);
    if (service === null) throw new Error(`The pid file names no process: ${pid}`);
    const answer = async () => (await fetch(`http://127.0.0.1:${port}/`)).text();
    return { npm: child, pid, pidFile, service, answer, output: () => output };
  }

  it("goes on when a SIGUSR2 that was meant for it ends npm, and says which process to signal", async () => {
    const { npm: wrapper, pid, pidFile, service: running, answer, output } = await startByNpm();
    const worker = await answer();

    wrapper.kill("SIGUSR2");

    await eventually(() => wrapper.signalCode === "SIGUSR2", { what: "npm has ended" });
    await eventually(() => output().includes("npm ended: the service goes on"));
    expect(output()).include(`"pidFile":"${pidFile}"`);
    expect(await answer()).equal(worker);
    process.kill(pid, "SIGUSR2");
    await eventually(() => output().includes("all workers are replaced"));
    expect(await answer()).not.equal(worker);
    process.kill(pid, "SIGTERM");
    await eventually(() => !isAlive(running));
    expect(existsSync(pidFile)).equal(false);
  });

  it("ignores a SIGUSR2 that comes before it can replace workers", async () => {
    writePackage("signalled-early");
    const child = spawn("npm", ["start"], { cwd: folder });
    npm = child;

    expect(await text(child.stdout)).include("still running");
  });

  it("ends when npm alone gets a SIGTERM, and removes the pid file that PID_FILE names", async () => {
    const {
      npm: wrapper,
      pidFile,
      service: running,
    } = await startByNpm({ PID_FILE: join(folder, "own.pid") });

    wrapper.kill("SIGTERM");

    await eventually(() => !isAlive(running) && wrapper.exitCode !== null);
    expect(existsSync(pidFile)).equal(false);
  });
});
