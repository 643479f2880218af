import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { developmentSecrets } from "../../deploy/development/home/secrets.ts";
import { processEnvironment } from "../../deploy/processes/config/environment.ts";
import { takeDatabase } from "./own-stores.ts";
import { type Service, serviceHarness } from "./service.ts";
import { openTcpProxy } from "./tcp-proxy.ts";

/** Nothing listens there. */
const NOWHERE = 1;

type Reach = {
  /** Breaks all connections and refuses new ones. */
  cut(): void;
  /** Drops all answers, as a firewall does. */
  drop(): void;
  heal(): void;
};

/** A host of the fleet: a whole service, which reaches each store through a TCP proxy of its own. */
export type Host = Service & { redis: Reach; mongodb: Reach };

/** Two hosts with one database, one Redis and the same secrets; `end` ends everything. */
export async function openTwoHosts(env: Record<string, string> = {}) {
  const { start, end } = serviceHarness("deploy/main.ts");
  const home = mkdtempSync(join(tmpdir(), "livecore-fleet-"));
  const database = await takeDatabase();
  const proxies: { close(): Promise<void> }[] = [];
  const stores = processEnvironment();

  async function reach(url: string | undefined) {
    const through = new URL(url ?? "");
    const port = Number(through.port);
    const proxy = await openTcpProxy(port);
    proxies.push(proxy);
    through.host = `127.0.0.1:${proxy.port}`;
    return {
      url: through,
      cut: () => proxy.forwardTo(NOWHERE),
      drop: proxy.hold,
      heal() {
        proxy.release();
        // What was dropped is lost to its connection.
        proxy.forwardTo(port);
      },
    };
  }

  async function host(): Promise<Host> {
    const redis = await reach(stores.REDIS_URL);
    const mongodb = await reach(stores.MONGODB_URL);
    // Otherwise the driver goes by the address that the replica set names, past the proxy.
    mongodb.url.searchParams.delete("replicaSet");
    mongodb.url.searchParams.set("directConnection", "true");
    const service = await start({
      ...developmentSecrets(home, {}),
      API_WORKERS: "1",
      MONGODB_URL: String(mongodb.url),
      REDIS_URL: String(redis.url),
      MONGODB_DATABASE: database.name,
      ...env,
    });
    return { ...service, redis, mongodb };
  }

  async function close(): Promise<void> {
    await end();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await database.giveBack();
    rmSync(home, { recursive: true, force: true });
  }

  try {
    const hosts = [await host(), await host()] as const;
    for (const one of hosts) await one.ready();
    return { hosts, end: close };
  } catch (err) {
    await close();
    throw err;
  }
}
