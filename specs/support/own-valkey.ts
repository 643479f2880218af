import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevelopmentServices } from "../../deploy/development/stores/development.ts";
import { isPortFree } from "../../deploy/development/stores/ports.ts";
import { processEnvironment } from "../../deploy/processes/config/environment.ts";
import {
  isGoneWithin,
  type ProcessRecord,
  readRecord,
  signalProcess,
} from "../../deploy/processes/process/process-record.ts";
import { eventually } from "./eventually.ts";
import { useProjectCache } from "./program-cache.ts";

/** A Valkey for one spec, which can be killed and restarted on the same port with the same data. */
export async function openValkey() {
  const home = mkdtempSync(join(tmpdir(), "livecore-valkey-"));
  useProjectCache(home);
  const { REDIS_URL: _shared, ...environment } = processEnvironment();
  const start = () =>
    startDevelopmentServices({
      home,
      // Set, so that no MongoDB is started as well.
      env: { ...environment, MONGODB_URL: "mongodb://not.used/" },
      say: () => undefined,
      signal: new AbortController().signal,
    });
  let running = await start();
  const { redisUrl: url } = running;

  const record = (): ProcessRecord => {
    const known = readRecord(join(home, "valkey/process.json"));
    if (known === null) throw new Error("This spec's Valkey has no record of its process");
    return known;
  };

  return {
    url,
    /** Freezes it: it keeps its connections and doesn't answer, until `thaw`. */
    freeze: () => signalProcess(record(), "SIGSTOP"),
    thaw: () => signalProcess(record(), "SIGCONT"),
    async kill(): Promise<void> {
      const killed = record();
      signalProcess(killed, "SIGKILL");
      if (!(await isGoneWithin(killed, 5_000))) throw new Error("Valkey outlived SIGKILL");
      // One of its threads may hold the port for a moment after the process is gone.
      const port = Number(new URL(url).port);
      await eventually(() => isPortFree(port, "127.0.0.1"), { what: "its port is free again" });
    },
    async startAgain(): Promise<void> {
      running = await start();
      if (running.redisUrl !== url) throw new Error("Valkey came back on another port");
    },
    async close(): Promise<void> {
      signalProcess(record(), "SIGCONT");
      await running.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export type OwnValkey = Awaited<ReturnType<typeof openValkey>>;
