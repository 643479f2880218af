// The service as a separate process, on free ports, with its own home and database.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { MongoClient } from "mongodb";
import { PEERS } from "../../../contract/peers.ts";
import { freePorts } from "../../../deploy/development/stores/ports.ts";

const projectRoot = fileURLToPath(new URL("../../../", import.meta.url));
const START_WITHIN_MS = 180_000;
/** Longer than the service's own limit. */
const STOP_WITHIN_MS = 20_000;

/**
 * Starts it and waits until it answers.
 * @returns {Promise<{ baseUrl: string, systemKeys: Record<string, string>, webhookSecret: string, makeStaff(usernames: string[]): Promise<void>, output(): string, stop(): Promise<void> }>}
 */
export async function startService(signal) {
  const [port, realtimePort, metricsPort] = await freePorts(3);
  const systemKeys = Object.fromEntries(
    Object.keys(PEERS).map((peer) => [peer, randomBytes(32).toString("hex")]),
  );
  const webhookSecret = `whsec_${randomBytes(32).toString("base64")}`;
  const database = `livecore_fuzz_${process.pid}`;
  const home = mkdtempSync(join(tmpdir(), "livecore-fuzz-home-"));
  const child = spawn(process.execPath, ["deploy/start.mjs"], {
    cwd: projectRoot,
    env: {
      ...process.env,
      PORT: String(port),
      REALTIME_PORT: String(realtimePort),
      METRICS_PORT: String(metricsPort),
      API_WORKERS: "1",
      REALTIME_WORKERS: "1",
      JOBS_WORKERS: "1",
      GRACE_SECONDS: "10",
      LOG_LEVEL: "warn",
      // Otherwise all answers would be 429.
      RATE_LIMIT_FACTOR: "1000",
      INGEST_KEYS: systemKeys.ingest,
      EDGE_CONFIG_KEYS: systemKeys.edge,
      MEDIA_KEYS: systemKeys.media,
      MEDIA_WEBHOOK_SECRETS: webhookSecret,
      BILLING_KEYS: systemKeys.billing,
      // Nobody listens there: clips are created and stay pending.
      MEDIA_URL: "http://127.0.0.1:9/clips",
      MONGODB_DATABASE: database,
      LIVECORE_HOME: home,
      // The service ends when its parent has ended, also when that is killed.
      LIVECORE_ENDS_WITH_PARENT: "yes",
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A terminal's Ctrl-C reaches only us, so that the service gets one signal and is awaited.
    detached: true,
  });
  let output = "";
  const keep = (chunk) => {
    output = (output + chunk).slice(-20_000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  let isOver = false;
  const over = new Promise((resolve) => {
    child.once("error", resolve);
    child.once("close", resolve);
  }).then(() => {
    isOver = true;
  });

  async function stop() {
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
    await over;
    clearTimeout(late);
    rmSync(home, { recursive: true, force: true });
    await inDatabase(database, (db) => db.dropDatabase());
  }

  const baseUrl = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_WITHIN_MS;
  try {
    while (!(await answers(baseUrl))) {
      if (isOver || Date.now() > deadline) throw new Error(`The service didn't start:\n${output}`);
      await delay(200, undefined, { signal });
    }
  } catch (err) {
    await stop();
    throw err;
  }
  /** As `npm run staff -- grant` does; their sessions count as two-factor ones. */
  const makeStaff = (usernames) =>
    inDatabase(database, async (db) => {
      const users = db.collection("users");
      const named = { username: { $in: usernames } };
      await users.updateMany(named, { $set: { isStaff: true, twoFactorEnabledAt: new Date() } });
      const ids = await users.distinct("_id", named);
      await db.collection("sessions").updateMany({ userId: { $in: ids } }, { $set: { secondFactor: true } });
    });
  return { baseUrl, systemKeys, webhookSecret, makeStaff, stop, output: () => output };
}

async function inDatabase(name, use) {
  const client = new MongoClient(process.env.MONGODB_URL, { serverSelectionTimeoutMS: 5_000 });
  try {
    await use(client.db(name));
  } finally {
    await client.close();
  }
}

async function answers(baseUrl) {
  try {
    return (await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch (err) {
    // Not listening or answering yet.
    if (err instanceof TypeError || err.name === "TimeoutError") return false;
    throw err;
  }
}
