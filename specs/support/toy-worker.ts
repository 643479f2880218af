/** A worker that only behaves well or badly, as TOY_API, TOY_REALTIME and TOY_JOBS say. */
import { existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { WORKER_KINDS } from "../../deploy/config/worker-kinds.ts";
import { WORKER_VARIABLE } from "../../deploy/primary/messages.ts";
import { runWorker } from "../../deploy/worker.ts";

const kind = WORKER_KINDS.find((one) => one === process.env[WORKER_VARIABLE]) ?? "jobs";
const manner = process.env[`TOY_${kind.toUpperCase()}`] ?? "good";

runWorker(kind, async ({ config, lifecycle }) => {
  const [, omen] = /^dies if there is (.+)/.exec(manner) ?? [];
  const [, claim] = /^dies unless it is the first at (.+)/.exec(manner) ?? [];
  if (claim && !isFirstAt(claim)) throw new Error("its toy store has room for one");
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

function isFirstAt(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (err) {
    if (!existsSync(folder)) throw err;
    return false;
  }
}
