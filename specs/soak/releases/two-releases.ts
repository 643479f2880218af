import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../../deploy/processes/config/project.ts";
import type { Print } from "../../stress/scenario.ts";
import { startBalancer } from "./balancer.ts";
import { checkOutOlder } from "./older-release.ts";
import { type RunningRelease, startRelease } from "./running-release.ts";

export type TwoReleases = {
  balancer: Awaited<ReturnType<typeof startBalancer>>;
  /** Of the RTMP server, in the variable that both releases know. */
  systemKey: string;
  start(release: "older" | "newer"): Promise<RunningRelease>;
};

/**
 * Calls `work` with an older release and this one on the same stores, files and secrets. Throws afterwards for each answer of 500
 * and above by the balancer, each error in the logs and each worker that died.
 */
export async function withTwoReleases<T>(
  print: Print,
  work: (releases: TwoReleases) => Promise<T>,
): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), "livecore-releases-"));
  const older = await checkOutOlder(home);
  const balancer = await startBalancer();
  const started: RunningRelease[] = [];
  const systemKey = secret();
  const shared = {
    ...process.env,
    NODE_ENV: "development",
    FILES_DIR: join(home, "files"),
    MONGODB_DATABASE: `livecore_releases_${process.pid}_${randomBytes(3).toString("hex")}`,
    MASTER_KEY: secret(),
    EDGE_KEYS: secret(),
    SYSTEM_KEY: systemKey,
    WEBHOOK_SECRETS: secret(),
    RATE_LIMIT_FACTOR: "1000",
  };
  try {
    const done = await work({
      balancer,
      systemKey,
      async start(release) {
        const name = `${release} ${started.length + 1}`;
        const folder = release === "older" ? older.folder : projectRoot;
        const running = await startRelease({
          name,
          folder,
          env: { ...shared, LIVECORE_HOME: join(home, name) },
        });
        started.push(running);
        print(`the ${release} release serves (${name})`);
        return running;
      },
    });
    const faults = [
      ...balancer.failures.map(({ by, request, status }) => `${by} answered ${request} with ${status}`),
      ...started.flatMap(({ name, complaints }) => complaints().map((line) => `${name}: ${line}`)),
    ];
    if (faults.length > 0) throw new Error(faults.join("\n"));
    return done;
  } finally {
    balancer.close();
    await Promise.allSettled(started.map((one) => one.stop()));
    await older.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

const secret = () => randomBytes(32).toString("hex");
