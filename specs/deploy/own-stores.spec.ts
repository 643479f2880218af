import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Redis } from "ioredis";
import { processEnvironment } from "../../deploy/processes/config/environment.ts";
import { startOwnStores } from "../../deploy/processes/primary/own-stores.ts";
import { createLifecycle, type Lifecycle } from "../../deploy/processes/process/lifecycle.ts";
import { readRecord } from "../../deploy/processes/process/process-record.ts";
import { eventually } from "../support/eventually.ts";
import { useProjectCache } from "../support/program-cache.ts";
import { type LogLine, recordingLog } from "../support/recording-log.ts";

const { MONGODB_URL, REDIS_URL, ...environment } = processEnvironment();

describe("stores that npm start starts", function () {
  this.timeout(90_000);
  let home: string;
  let lifecycle: Lifecycle;
  let lines: LogLine[];
  let variables: Record<string, string>;
  before(async () => {
    home = mkdtempSync(join(tmpdir(), "livecore-home-"));
    useProjectCache(home);
    lines = [];
    const log = recordingLog(lines);
    lifecycle = createLifecycle(log);
    variables = await startOwnStores({
      lifecycle,
      settings: { home },
      // Given, so that only one store has to be started.
      env: { ...environment, ...(MONGODB_URL && { MONGODB_URL }) },
      say: () => undefined,
      log,
      signal: new AbortController().signal,
      started: () => undefined,
      readFreeDisk: async (folder) => (folder === home ? 0.04 : 1),
    });
  });
  after(async () => {
    await lifecycle.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const messages = () => lines.map(({ message }) => message);

  it("starts a store again that dies, at its address", async () => {
    process.kill(readRecord(join(home, "valkey/process.json"))?.pid ?? 0, "SIGKILL");

    await eventually(() => messages().includes("store started again"), { withinMs: 20_000 });

    expect(messages()).include("store died: starting it again");
    const redis = new Redis(variables.REDIS_URL ?? "");
    expect(await redis.ping()).equal("PONG");
    redis.disconnect();
  });

  it("warns of a full disk under the folder of their data", () => {
    expect(messages()).include("disk space very low: stores end when it runs out");
  });
});
