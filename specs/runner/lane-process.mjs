// The runner's handle of a lane's process (lane.mjs).
import { setTimeout as delay } from "node:timers/promises";
import { node } from "./run.mjs";

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {Counts & { file: string, ms: number, cpuMs: number, slow: { title: string, ms: number }[], report: string,
 *   hasDied?: true }} FileResult hasDied: its process ended in the middle of it
 */

const LANE_WITHIN_MS = 40 * 60_000;
const ENDS_WITHIN_MS = 20_000;

/** Its process starts with the first file, and again after a file in which it died. */
export function createLane(number, env, signal) {
  let running = null;

  function start() {
    const calledOff = new AbortController();
    let child;
    const ended = node(["--import", "tsx", "specs/runner/lane.mjs"], {
      env: { ...env, SPEC_BUILD: "dist" },
      show: true,
      deadlineMs: LANE_WITHIN_MS,
      signal: AbortSignal.any([signal, calledOff.signal]),
      talk: (started) => {
        child = started;
      },
    });
    // A failed send is noticed by the process's end.
    child.on("error", () => undefined);
    return { child, ended, callOff: () => calledOff.abort() };
  }

  return {
    number,
    env,
    /** @returns {Promise<FileResult>} */
    async run(file) {
      running ??= start();
      const { child, ended } = running;
      const startedAt = performance.now();
      const result = new Promise((resolve) => child.once("message", resolve));
      child.send({ file });
      const died = ended.then(({ code }) => {
        running = null;
        const report = `The process of lane ${number} ended in the middle of it (exit code ${code}).`;
        const ms = performance.now() - startedAt;
        return { file, passed: 0, failed: 1, skipped: 0, slow: [], report, ms, cpuMs: 0, hasDied: true };
      });
      return await Promise.race([result, died]);
    },
    /** Call it when no file is left. @returns {Promise<string | null>} what was wrong with its end */
    async end() {
      if (running === null) return null;
      const { child, ended, callOff } = running;
      running = null;
      child.send({ file: null });
      const code = await Promise.race([
        ended.then((how) => how.code),
        delay(ENDS_WITHIN_MS, "late", { ref: false }),
      ]);
      if (code === 0) return null;
      callOff();
      await ended;
      if (code === "late") return `Lane ${number} didn't end: a spec left something running.`;
      return `Lane ${number} ended with exit code ${code}.`;
    },
  };
}
