import { createApi } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { givenChannels } from "../../support/given-channels.ts";
import type { Service } from "../../support/service.ts";

/** Fixtures through this host. */
export const givenAt = ({ http }: Service) =>
  givenChannels({ api: createApi(http), clock: movableClock(), ingestKey: "" });

/** What the host says about itself; `clock` is the check of the clocks. */
export async function readyz({ internal }: Service): Promise<{ status: number; clock: string }> {
  const response = await fetch(`${internal}/readyz`);
  const { checks }: { checks: Record<string, string> } = JSON.parse(await response.text());
  return { status: response.status, clock: checks.clock ?? "" };
}
