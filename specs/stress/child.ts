import { type ChildProcess, fork } from "node:child_process";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { hasFields } from "./parent.ts";

/** A module as a child process, for specs in which processes die. It talks over IPC. */
export type Child = {
  pid: number;
  /** All messages received so far, oldest first. */
  received: unknown[];
  /** Messages sent to a dying process are lost. */
  send(message: object): void;
  /** The first message, past or future, that fits; rejects when the process ends without one. */
  next<T>(fits: (message: unknown) => message is T): Promise<T>;
  kill(signal?: NodeJS.Signals): void;
  /** The exit code or the signal that ended it, and its stderr. */
  ended: Promise<{ how: number | NodeJS.Signals; stderr: string }>;
};

/** The first message of a process that is up, by convention. */
export const isReady = (message: unknown): message is { ready: true } => hasFields(message, "ready");

const STDERR_KEPT = 20_000;

/**
 * Starts `module`, a path from the project's root or an absolute one to a bundle, with `input` as its only argument, as JSON.
 * `onMessage` is called with each message as it comes.
 */
export function startChild(module: string, input: unknown, onMessage?: (message: unknown) => void): Child {
  const child: ChildProcess = fork(module, [JSON.stringify(input)], {
    cwd: projectRoot,
    execArgv: module.endsWith(".ts") ? ["--import", "tsx"] : [],
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  const received: unknown[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of waiting) look();
  };
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr = (stderr + String(chunk)).slice(-STDERR_KEPT);
  });
  child.on("message", (message) => {
    received.push(message);
    onMessage?.(message);
    wake();
  });
  let isOver = false;
  const ended = new Promise<{ how: number | NodeJS.Signals; stderr: string }>((resolve) => {
    child.once("close", (code, signal) => {
      isOver = true;
      resolve({ how: code ?? signal ?? 1, stderr });
      wake();
    });
  });
  return {
    pid: child.pid ?? 0,
    received,
    // Without the callback, sending to a process that has just died would throw here.
    send: (message) => void child.send(message, () => undefined),
    next: <T>(fits: (message: unknown) => message is T) =>
      new Promise<T>((resolve, reject) => {
        const look = () => {
          const found = received.find(fits);
          if (found === undefined && !isOver) return;
          waiting.delete(look);
          if (found === undefined) reject(new Error(`the process ended without sending it: ${stderr}`));
          else resolve(found);
        };
        waiting.add(look);
        look();
      }),
    kill: (signal = "SIGKILL") => void child.kill(signal),
    ended,
  };
}
