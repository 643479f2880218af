import assert from "node:assert/strict";
import { withService } from "../../realtime/failures/with-service.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { createApi } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { type Channel, givenChannels } from "../../support/given-channels.ts";
import type { Service } from "../../support/service.ts";

type HungJobsOptions = {
  /** Seconds until the predictions lock; 30 is the least. */
  seconds: number;
  /** How late a prediction may lock with another jobs worker, and with none. */
  lateMs: number;
  aloneLateMs: number;
};

/** How long before its lock the worker is stopped. */
const BEFORE_MS = 2_000;

/**
 * A jobs worker is stopped (SIGSTOP) while a prediction runs. With two workers it locks in time, whichever of them is stopped; with
 * one once that has been replaced. `/readyz` counts the stopped worker as missing. Throws otherwise.
 */
export async function runHungJobs(options: HungJobsOptions, print: Print): Promise<Figures> {
  const beside = await withService({ JOBS_WORKERS: "2" }, async (service) => {
    const channel = await channelOf(service);
    const lates: number[] = [];
    for (const index of [0, 1]) lates.push(await lateWithout(service, channel, index, options.seconds));
    return Math.max(...lates);
  });
  print(`with two jobs workers the prediction locked ${beside} ms late`);
  const alone = await withService({ JOBS_WORKERS: "1" }, async (service) =>
    lateWithout(service, await channelOf(service), 0, options.seconds),
  );
  print(`with one jobs worker the prediction locked ${alone} ms late`);
  assert.ok(beside <= options.lateMs, `${beside} ms late beside another jobs worker`);
  assert.ok(alone <= options.aloneLateMs, `${alone} ms late without another jobs worker`);
  return { besideLateMs: beside, aloneLateMs: alone };
}

const channelOf = ({ http }: Service): Promise<Channel> =>
  givenChannels({ api: createApi(http), clock: movableClock(), ingestKey: "" }).channel();

/** How late a prediction locks when a jobs worker is stopped shortly before, ms. */
async function lateWithout(
  service: Service,
  channel: Channel,
  index: number,
  seconds: number,
): Promise<number> {
  const wanted = Number(service.env.JOBS_WORKERS);
  const { api } = channel.owner;
  const { id } = await api.ok("createPrediction", {
    params: channel.at,
    body: { title: "Late?", outcomes: [{ title: "Yes" }, { title: "No" }], duration_seconds: seconds },
  });
  const locksAt = performance.now() + seconds * 1_000;
  await eventually(() => performance.now() > locksAt - BEFORE_MS, { withinMs: seconds * 1_000 });
  const stopped = service.workers().filter(({ kind }) => kind === "jobs")[index];
  assert.ok(stopped, "there is that jobs worker");
  process.kill(stopped.pid, "SIGSTOP");

  const readyz = eventually(async () => {
    const response = await fetch(`${service.internal}/readyz`);
    const { checks }: { checks: Record<string, string> } = JSON.parse(await response.text());
    return checks.jobs === `${wanted - 1}/${wanted}` && response.status === (wanted > 1 ? 200 : 503);
  });
  const params = { prediction_id: id };
  await eventually(async () => (await api.ok("getPrediction", { params })).status === "locked", {
    withinMs: 60_000,
    what: "it is locked",
  });
  const late = Math.max(0, Math.round(performance.now() - locksAt));
  await readyz;
  await eventually(
    () =>
      service.workers().filter(({ kind, pid }) => kind === "jobs" && pid !== stopped.pid).length === wanted,
    { withinMs: 40_000, what: "another replaces it" },
  );
  await api.ok("cancelPrediction", { params });
  return late;
}
