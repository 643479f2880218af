import { randomBytes } from "node:crypto";
import { eventually } from "../../support/eventually.ts";
import { type Service, serviceHarness } from "../../support/service.ts";

/** A service of real processes that has its own database, and how to end all of them. */
export async function openService(env: Record<string, string>) {
  const { start, end } = serviceHarness("deploy/main.ts");
  try {
    const service = await start({
      ...{ API_WORKERS: "2", JOBS_WORKERS: "1", LOG_LEVEL: "warn" },
      SYSTEM_KEY: randomBytes(32).toString("hex"),
      ...env,
    });
    await service.ready();
    // Known to the harness from now on, so that none outlives it.
    service.workers();
    return { service, end };
  } catch (err) {
    await end();
    throw err;
  }
}

/** Runs `use` beside such a service, and ends it however it goes. */
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

/** As many workers are ready as there are meant to be, of those that clients meet. */
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
