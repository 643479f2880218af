/**
 * One database server as a detached process: Ctrl-C doesn't reach it, so the service can drain before its stores end, and it
 * survives a `kill -9` of its parent.
 *
 * 1. If a recorded one is alive, it is adopted when it answers and killed when it doesn't.
 * 2. Otherwise one is started, recorded at once, and awaited until it answers.
 * 3. `stop` ends it: SIGTERM, then SIGKILL after the grace period.
 */
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { processEnvironment } from "../../processes/config/environment.ts";
import { programEnvironment } from "../../processes/process/child-environment.ts";
import {
  endProcess,
  identify,
  isAlive,
  readRecord,
  removeRecord,
  signalProcess,
  writeRecord,
} from "../../processes/process/process-record.ts";
import { StartError } from "../../processes/process/start-error.ts";
import { freePort, isPortFree } from "./ports.ts";

export type StoreProcess = {
  port: number;
  isAlive(): boolean;
  /** Why it ended, by its log. */
  whyEnded(): string;
  stop(): Promise<void>;
  /** Sends SIGTERM without waiting, for an immediate exit. */
  terminate(): void;
};

type StoreProcessOptions = {
  title: string;
  /** Holds the record and the log. */
  folder: string;
  say: (line: string) => void;
  signal: AbortSignal;
  /** The command that serves on `port`. May throw a StartError; called only when one must be started. */
  command: (port: number) => Promise<{ path: string; args: string[] }>;
  lastPort: number | null;
  /** Throws a StartError instead of taking another port than the last one. */
  mustKeepPort?: boolean;
  /** Resolves when the server can be used; rejects while it can't yet. */
  ready: (port: number) => Promise<void>;
  /** How often a start that takes long is told. */
  progressEveryMs?: number;
};

const PROGRESS_EVERY_MS = 10_000;
const ANSWERS_WITHIN_MS = 5_000;
const STOPS_WITHIN_MS = 20_000;

export async function startStoreProcess(options: StoreProcessOptions): Promise<StoreProcess> {
  const record = join(options.folder, "process.json");
  const log = join(options.folder, "server.log");
  const adopted = await adopt(record, log, options);
  if (adopted !== null) return adopted;

  const port = await portFor(options);
  const { path, args } = await options.command(port);
  const exit = launch({ path, args, log, record, port });
  const store = handle(record, log, port);
  try {
    await untilReady(options, port, exit, log);
  } catch (err) {
    await store.stop();
    throw err;
  }
  return store;
}

/** Ends the recorded process, if it still runs. */
export async function stop(record: string): Promise<void> {
  const known = readRecord(record);
  if (known !== null && isAlive(known)) await endProcess(known, STOPS_WITHIN_MS);
  removeRecord(record);
}

async function portFor({ title, lastPort, mustKeepPort = false }: StoreProcessOptions): Promise<number> {
  if (lastPort !== null && (await isPortFree(lastPort, "127.0.0.1"))) return lastPort;
  if (mustKeepPort) throw new StartError(`${title}'s port ${lastPort} is in use by another process.`);
  return freePort();
}

const handle = (record: string, log: string, port: number): StoreProcess => ({
  port,
  isAlive() {
    const known = readRecord(record);
    return known !== null && isAlive(known);
  },
  whyEnded: () => endReason(log),
  stop: () => stop(record),
  terminate() {
    const known = readRecord(record);
    if (known !== null) signalProcess(known, "SIGTERM");
  },
});

async function adopt(
  record: string,
  log: string,
  options: StoreProcessOptions,
): Promise<StoreProcess | null> {
  const known = readRecord(record);
  if (known === null || !isAlive(known)) return null;
  const { port } = known;
  if (typeof port === "number" && (await answersWithin(ANSWERS_WITHIN_MS, () => options.ready(port)))) {
    options.say(`${options.title} was still running (process ${known.pid}); using it.`);
    return handle(record, log, port);
  }
  options.say(`${options.title} was left behind (process ${known.pid}) and doesn't answer; ending it.`);
  await stop(record);
  return null;
}

type Exit = { reason: string | null };

function launch(of: { path: string; args: string[]; log: string; record: string; port: number }): Exit {
  mkdirSync(dirname(of.log), { recursive: true, mode: 0o700 });
  const log = openSync(of.log, "w", 0o600);
  const exit: Exit = { reason: null };
  // The server inherits the umask: its files are private to the owner.
  const mask = process.umask(0o077);
  try {
    const child = spawn(of.path, of.args, {
      detached: true,
      stdio: ["ignore", log, log],
      env: programEnvironment(processEnvironment()),
    });
    child.once("error", (err) => {
      exit.reason = err.message;
    });
    child.once("exit", (code, signal) => {
      exit.reason ??= signal === null ? `exit code ${code}` : `signal ${signal}`;
    });
    child.unref();
    const started = child.pid === undefined ? null : identify(child.pid);
    if (started !== null) writeRecord(of.record, { ...started, port: of.port });
  } finally {
    process.umask(mask);
    closeSync(log);
  }
  return exit;
}

/** Has no deadline: a server that recovers its data after a crash needs what it needs, and would begin again if it was killed. */
async function untilReady(
  options: StoreProcessOptions,
  port: number,
  exit: Exit,
  log: string,
): Promise<void> {
  const { title, progressEveryMs = PROGRESS_EVERY_MS } = options;
  const startedAt = performance.now();
  let toldAt = startedAt;
  while (true) {
    options.signal.throwIfAborted();
    if (performance.now() - toldAt >= progressEveryMs) {
      toldAt = performance.now();
      const seconds = Math.round((toldAt - startedAt) / 1_000);
      options.say(
        `${title} is starting: no answer after ${seconds} s. It may be recovering its data; see ${log}.`,
      );
    }
    if (exit.reason !== null) {
      throw new StartError(
        `${title} didn't start (${exit.reason}): ${endReason(log)} See ${log}. ` +
          `If its data is damaged, move ${options.folder} away to start empty.`,
      );
    }
    try {
      await options.ready(port);
      return;
    } catch (err) {
      if (err instanceof StartError) throw err;
      await delay(50);
    }
  }
}

async function answersWithin(ms: number, ready: () => Promise<void>): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (performance.now() < deadline) {
    try {
      await ready();
      return true;
    } catch {
      // Any failure means "not yet"; the deadline decides.
      await delay(100);
    }
  }
  return false;
}

/** Extracts from its log why the server ended. MongoDB writes JSON lines whose reason is in `attr` or in the innermost `msg`. */
function endReason(log: string): string {
  const lines = readFileSync(log, "utf8").trim().split("\n").slice(-400);
  // MongoDB's first error is the cause; the crash that follows fills many lines with its stack.
  const cause =
    lines.find((line) => /"s":"[EF]"/.test(line)) ??
    lines.findLast((line) => /error|fatal|can't|cannot|denied/i.test(line));
  const shown = (cause ?? lines.at(-1) ?? "no output").trim();
  const reason =
    /"(?:error|reason|message)":"((?:[^"\\]|\\.)*)"/.exec(shown)?.[1] ??
    [...shown.matchAll(/"msg":"([^"]*)"/g)].at(-1)?.[1];
  return `${(reason ?? shown).slice(0, 300)}.`.replace(/\.\.$/, ".");
}
