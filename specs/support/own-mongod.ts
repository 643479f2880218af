import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnvironment } from "../../deploy/config/environment.ts";
import { readRecord, signalProcess } from "../../deploy/process/process-record.ts";
import { startDevelopmentServices } from "../../deploy/services/development.ts";
import { useProjectCache } from "./program-cache.ts";

/** A MongoDB that one spec has to itself, to make it hang. */
export async function openMongod() {
  const home = mkdtempSync(join(tmpdir(), "livecore-mongod-"));
  useProjectCache(home);
  const { MONGODB_URL: _shared, ...environment } = processEnvironment();
  const services = await startDevelopmentServices({
    home,
    // Named, so that none is started beside it.
    env: { ...environment, REDIS_URL: "redis://not.used/" },
    say: () => undefined,
    signal: new AbortController().signal,
  });
  const signal = (name: "SIGSTOP" | "SIGCONT") => {
    const known = readRecord(join(home, "mongodb/process.json"));
    if (known === null) throw new Error("This spec's MongoDB has no record of its process");
    signalProcess(known, name);
  };
  return {
    url: services.mongodbUrl,
    /** It keeps its connections and answers nothing, until `thaw`. */
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    async close(): Promise<void> {
      signal("SIGCONT");
      await services.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
