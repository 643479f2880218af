import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnvironment } from "../../deploy/config/environment.ts";
import { isGoneWithin, readRecord, signalProcess } from "../../deploy/process/process-record.ts";
import { startDevelopmentServices } from "../../deploy/services/development.ts";
import { isPortFree } from "../../deploy/services/ports.ts";
import { eventually } from "./eventually.ts";
import { useProjectCache } from "./program-cache.ts";

/** A MongoDB that one spec has to itself, to make it hang. */
export async function openMongod() {
  const home = mkdtempSync(join(tmpdir(), "livecore-mongod-"));
  useProjectCache(home);
  const { MONGODB_URL: _shared, ...environment } = processEnvironment();
  const start = () =>
    startDevelopmentServices({
      home,
      // Named, so that none is started beside it.
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
    /** With the same data, at the same address. */
    async killAndStartAgain(): Promise<void> {
      if (!(await isGoneWithin(signal("SIGKILL"), 5_000))) throw new Error("MongoDB outlived SIGKILL");
      // A thread of it may hold the port for a moment longer than the process is there.
      const port = Number(new URL(url).port);
      await eventually(() => isPortFree(port, "127.0.0.1"), { what: "its port is free again" });
      services = await start();
      if (services.mongodbUrl !== url) throw new Error("MongoDB came back at another address");
    },
    /** It keeps its connections and answers nothing, until `thaw`. */
    freeze: () => void signal("SIGSTOP"),
    thaw: () => void signal("SIGCONT"),
    async close(): Promise<void> {
      signal("SIGCONT");
      await services.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
