/** A worker or schema process that only behaves well or badly, as TOY_API, TOY_REALTIME, TOY_JOBS and TOY_SCHEMA say. */
import { existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { WORKER_KINDS } from "../../deploy/processes/config/worker-kinds.ts";
import { WORKER_VARIABLE } from "../../deploy/processes/process/messages.ts";
import { StartError } from "../../deploy/processes/process/start-error.ts";
import { runSchemaProcess } from "../../deploy/processes/schema/schema-process.ts";
import { runWorker } from "../../deploy/processes/workers/worker.ts";

if (process.env[WORKER_VARIABLE] === "schema") runSchemaProcess(completeToySchema);
else runToyWorker();

/** "takes <ms>", or "fails unless there is <file>". */
async function completeToySchema({
  report,
  signal,
}: {
  report: (line: string) => void;
  signal: AbortSignal;
}): Promise<void> {
  const manner = process.env.TOY_SCHEMA ?? "";
  const [, ms] = /^takes (\d+)/.exec(manner) ?? [];
  const [, omen] = /^fails unless there is (.+)/.exec(manner) ?? [];
  report("The toy schema is being completed");
  if (ms) await pause(Number(ms), undefined, { signal });
  if (omen && !existsSync(omen)) throw new StartError("its toy index has duplicates");
}

function runToyWorker(): void {
  const kind = WORKER_KINDS.find((one) => one === process.env[WORKER_VARIABLE]) ?? "jobs";
  const manner = process.env[`TOY_${kind.toUpperCase()}`] ?? "good";

  runWorker(kind, async ({ config, lifecycle, waiting }) => {
    const [, omen] = /^dies if there is (.+)/.exec(manner) ?? [];
    const [, claim] = /^dies unless it is the first at (.+)/.exec(manner) ?? [];
    if (claim && !isFirstAt(claim)) throw new Error("its toy store has room for one");
    const [, until] = /^waits for (.+)/.exec(manner) ?? [];
    while (until && !existsSync(until)) {
      waiting?.();
      await pause(100);
    }
    if (manner === "dies" || (omen && existsSync(omen))) throw new Error("its toy store is on fire");
    if (manner === "never ends")
      await lifecycle.start(
        "trap",
        () => null,
        () => new Promise(() => undefined),
        { deadlineMs: 1e6 },
      );
    // Lingers, so that polling sees it beside its successor.
    if (manner === "lingers")
      await lifecycle.start(
        "linger",
        () => null,
        () => new Promise((gone) => setTimeout(gone, 300)),
      );
    if (kind === "api") {
      await lifecycle.start(
        "http",
        () =>
          new Promise<ReturnType<typeof createServer>>((resolve) => {
            const server = createServer((request, response) => {
              const answer = () => response.end(String(process.pid));
              if (request.url === "/slow") setTimeout(answer, 700);
              else answer();
            });
            server.listen(config.http.port, config.http.host ?? "0.0.0.0", () => resolve(server));
          }),
        (server) => new Promise((closed) => server.close(closed)),
      );
    } else {
      await lifecycle.start("clock", () => setInterval(() => undefined, 1_000), clearInterval);
    }
  });
}

function isFirstAt(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (err) {
    if (!existsSync(folder)) throw err;
    return false;
  }
}
