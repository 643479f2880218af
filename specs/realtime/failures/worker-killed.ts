import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { openLoadScenario } from "../../stress/checker/load-scenario.ts";
import { expectFlawless } from "../../stress/checker/verdict.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Print } from "../../stress/scenario.ts";
import { watchReturns } from "./comings-back.ts";
import { figuresOf } from "./figures.ts";
import { withService } from "./with-service.ts";

type WorkerKilledOptions = {
  seed: number;
  clients: number;
  rooms: number;
  perSecond: number;
  /** Duration of the chat before the kill, and after all clients are back. */
  calmMs: number;
  /** From the kill until the last client has caught up. */
  caughtUpWithinMs: number;
};

/**
 * A worker with half of the clients is killed under load: each client receives every acknowledged message, once and in order, and
 * those of the dead worker catch up in time.
 */
export async function runWorkerKilled(options: WorkerKilledOptions, print: Print) {
  const { calmMs, caughtUpWithinMs } = options;
  return withService({ REALTIME_WORKERS: "2" }, async (service) => {
    const load = await openLoadScenario({ service, ...options });
    try {
      print(`${load.watchers.length} clients are in ${load.rooms.length} rooms`);
      const messageLoad = load.startMessages();
      await pause(calmMs);
      const victim = service.workers().find(({ kind }) => kind === "realtime");
      if (!victim) throw new Error("no realtime worker is there to be killed");
      const returns = watchReturns(load.watchers);
      process.kill(victim.pid, "SIGKILL");
      await returns.everybodyIsBack(30_000);
      const times = returns.times();
      print(`${times.length} clients came back, the last after ${Math.max(...times)} ms`);
      await pause(calmMs);
      await messageLoad.stop();
      await load.settled(10_000);
      const verdict = await load.judge();
      expectFlawless(verdict);
      expect(returns.unrecovered(), "clients that couldn't resume").equal(0);
      expect(Math.max(...times), "the last client has caught up, ms").most(caughtUpWithinMs);
      return {
        ...figuresOf(verdict),
        // Retried with their nonce: on a busy machine Redis may miss its deadline.
        repeatedSends: [...messageLoad.refusals.values()].reduce((sum, n) => sum + n, 0),
        returned: times.length,
        medianMs: percentile(times, 0.5),
        lastMs: Math.max(...times),
        ackP50Ms: percentile(messageLoad.ackMs, 0.5),
        ackP99Ms: percentile(messageLoad.ackMs, 0.99),
      };
    } finally {
      load.close();
    }
  });
}
