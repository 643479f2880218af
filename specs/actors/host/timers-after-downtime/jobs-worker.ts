/** A process with the roles api and jobs on the shared stores: it fires due timers, and reports each with its time. */
import { createActors } from "../../../../actors/actors.ts";
import { processClock } from "../../../../base/clock.ts";
import { silentMeter } from "../../../../base/metrics.ts";
import { startAbandonedTransactions } from "../../../../jobs/host/abandoned-transactions/sweep.ts";
import { startOutboxRelay } from "../../../../jobs/host/outbox-relay/relay.ts";
import { startTimerSweeper } from "../../../../jobs/host/timers/sweeper.ts";
import type { TimerDoc } from "../../../../store/mongo/host/timers.ts";
import { hasFields, inputFromParent, sendToParent } from "../../../stress/parent.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { openStores } from "../../../support/stores.ts";

/** `at` is when it was done, Unix ms. */
export type Fired = { timer: string; result: "fired" | "stale"; at: number };

export type Ready = { readyAt: number };

const { database } = inputFromParent((input): input is { database: string } => hasFields(input, "database"));
const { mongo, redis } = await openStores(database);
const log = quietLog();
const clock = processClock;
const nobody = () => Promise.resolve();
const { host, outbox } = createActors({
  mongo,
  redis,
  clock,
  log,
  meter: silentMeter(),
  publishRoom: nobody,
  publishUsers: nobody,
});

async function fire(timer: TimerDoc): Promise<"fired" | "stale"> {
  const result = await host.fire(timer);
  sendToParent({ timer: timer._id, result, at: Date.now() } satisfies Fired);
  return result;
}

startAbandonedTransactions({ mongo, log });
startTimerSweeper({ host: { fire }, mongo, clock, log });
startOutboxRelay({ outbox, log });
sendToParent({ readyAt: Date.now() } satisfies Ready);
