import { randomBytes } from "node:crypto";
import type { Db } from "mongodb";
import { connectMongo } from "../../../store/mongo/driver/connect.ts";
import { eventually } from "../../support/eventually.ts";
import { type Service, serviceHarness } from "../../support/service.ts";

/** Starts a service of real processes with its own database; returns it and a function that ends all of it. */
export async function openService(env: Record<string, string>) {
  const { start, end } = serviceHarness("deploy/main.ts");
  try {
    const service = await start({
      API_WORKERS: "2",
      JOBS_WORKERS: "1",
      LOG_LEVEL: "warn",
      INGEST_KEYS: randomBytes(32).toString("hex"),
      ...env,
    });
    await service.ready();
    // Registers the workers with the harness, so that none outlives it.
    service.workers();
    return { service, end };
  } catch (err) {
    await end();
    throw err;
  }
}

/** Runs `use` with such a service, and ends it whatever the outcome. */
export async function withService<T>(
  env: Record<string, string>,
  use: (service: Service) => Promise<T>,
): Promise<T> {
  const { service, end } = await openService(env);
  try {
    return await use(service);
  } finally {
    await end();
  }
}

/** Resolves when all configured api and realtime workers are ready. */
export const allReady = ({ internal, env }: Service) =>
  eventually(
    async () => {
      const readyz: { checks: Record<string, string> } = JSON.parse(
        await (await fetch(`${internal}/readyz`)).text(),
      );
      const { api, realtime } = readyz.checks;
      const whole = (count: string | undefined) => `${count}/${count}`;
      return api === whole(env.API_WORKERS) && realtime === whole(env.REALTIME_WORKERS);
    },
    { withinMs: 30_000, what: "all workers are back" },
  );

/** Runs `use` on the service's database: for what no API call can do, or what would take too many calls. */
export async function withDatabaseOf<T>({ env }: Service, use: (db: Db) => Promise<T>): Promise<T> {
  const mongo = await connectMongo({
    url: String(env.MONGODB_URL),
    database: String(env.MONGODB_DATABASE),
    selectionTimeoutMs: 5_000,
    maxPoolSize: 2,
  });
  try {
    return await use(mongo.db);
  } finally {
    await mongo.close();
  }
}
