import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

/** Servers and their Redis share one core, the load has the other: rates are per server core. */
type Core = "servers" | "load";

const NUMBERS: Record<Core, string> = { servers: "0", load: "1" };

/** False on a machine without `taskset` or with a single core; figures are then noisier, and the result says so. */
export const canPin = availableParallelism() > 1 && hasTaskset();

const children = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

const pinned = (core: Core): string[] => (canPin ? ["taskset", "-c", NUMBERS[core]] : []);

export const pinThisProcess = (core: Core): void => pinProcess(core, process.pid);

/** With all its threads; one that somebody else started, as a store. */
export function pinProcess(core: Core, pid: number): void {
  if (canPin) execFileSync("taskset", ["-apc", NUMBERS[core], String(pid)], { stdio: "ignore" });
}

/** Starts a module of the bench, or of the built service, with a channel to it; its output is ours, or goes to a file (`log`). */
export function forkOn(
  core: Core,
  module: string | URL,
  { env = {}, nodeArgs = [], log }: { env?: Record<string, string>; nodeArgs?: string[]; log?: number } = {},
): ChildProcess {
  const file = module instanceof URL ? fileURLToPath(module) : module;
  const tsx = file.endsWith(".ts") ? ["--import", "tsx"] : [];
  const [command = process.execPath, ...before] = [...pinned(core), process.execPath];
  const child = fork(file, [], {
    execPath: command,
    execArgv: [...before, ...nodeArgs, ...tsx],
    env: { ...process.env, ...env },
    ...(log === undefined ? {} : { stdio: ["ignore", log, "inherit", "ipc"] }),
  });
  return keep(child);
}

export function spawnOn(core: Core, program: string, args: string[]): ChildProcess {
  const [command = program, ...before] = [...pinned(core), program];
  return keep(spawn(command, [...before, ...args], { stdio: "ignore" }));
}

function keep(child: ChildProcess): ChildProcess {
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/** The next message that `wanted` takes; rejects when it throws, or the process ends before. */
export function messageFrom<T>(child: ChildProcess, wanted: (message: unknown) => T | null): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      child.off("message", onMessage);
      child.off("exit", onExit);
    };
    const onMessage = (message: unknown) => {
      try {
        const found = wanted(message);
        if (found === null) return;
        resolve(found);
      } catch (err) {
        reject(err);
      }
      settle();
    };
    const onExit = (code: number | null, signal: string | null) => {
      settle();
      reject(new Error(`a process of the bench ended with ${code ?? signal}: ${child.spawnargs.join(" ")}`));
    };
    child.on("message", onMessage);
    child.on("exit", onExit);
  });
}

/** CPU that processes have used so far with all their threads, ms; finer than the ticks in /proc/<pid>/stat. */
export function cpuMs(pids: readonly number[]): number {
  let ns = 0;
  for (const pid of pids) {
    for (const task of readdirSync(`/proc/${pid}/task`))
      ns += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ", 1)[0]);
  }
  return ns / 1e6;
}

/** Resident memory, bytes. */
export function residentBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return sum + Number(kib) * 1_024;
  }, 0);
}

function hasTaskset(): boolean {
  try {
    execFileSync("taskset", ["-p", String(process.pid)], { stdio: "ignore" });
    return true;
  } catch {
    // Absent, or not allowed here: either way nothing can be pinned.
    return false;
  }
}
