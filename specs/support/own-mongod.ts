import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevelopmentServices } from "../../deploy/development/stores/development.ts";
import { isPortFree } from "../../deploy/development/stores/ports.ts";
import { processEnvironment } from "../../deploy/processes/config/environment.ts";
import { isGoneWithin, readRecord, signalProcess } from "../../deploy/processes/process/process-record.ts";
import { eventually } from "./eventually.ts";
import { useProjectCache } from "./program-cache.ts";
import { isStopped } from "./stopped.ts";

/** A MongoDB for one spec, which can be made to hang. */
export async function openMongod() {
  const home = mkdtempSync(join(tmpdir(), "livecore-mongod-"));
  useProjectCache(home);
  const { MONGODB_URL: _shared, ...environment } = processEnvironment();
  const start = () =>
    startDevelopmentServices({
      home,
      // Set, so that no Redis is started as well.
      env: { ...environment, REDIS_URL: "redis://not.used/" },
      say: () => undefined,
      signal: new AbortController().signal,
    });
  let services = await start();
  const url = services.mongodbUrl;
  function signal(name: "SIGSTOP" | "SIGCONT" | "SIGKILL") {
    const known = readRecord(join(home, "mongodb/process.json"));
    if (known === null) throw new Error("This spec's MongoDB has no record of its process");
    signalProcess(known, name);
    return known;
  }
  return {
    url,
    /** Kills it and restarts it with the same data at the same address. */
    async killAndStartAgain(): Promise<void> {
      if (!(await isGoneWithin(signal("SIGKILL"), 5_000))) throw new Error("MongoDB outlived SIGKILL");
      // One of its threads may hold the port for a moment after the process is gone.
      const port = Number(new URL(url).port);
      await eventually(() => isPortFree(port, "127.0.0.1"), { what: "its port is free again" });
      services = await start();
      if (services.mongodbUrl !== url) throw new Error("MongoDB came back at another address");
    },
    /** Freezes it: it keeps its connections and doesn't answer, until `thaw`. */
    freeze(): void {
      const { pid } = signal("SIGSTOP");
      // Its threads on other cores may still answer a statement that is sent right after the signal.
      const until = performance.now() + 1_000;
      while (!isStopped(pid)) if (performance.now() > until) throw new Error("MongoDB doesn't stop");
    },
    thaw: () => void signal("SIGCONT"),
    async close(): Promise<void> {
      signal("SIGCONT");
      await services.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
