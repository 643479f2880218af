import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { openLoadScenario } from "../../stress/checker/load-scenario.ts";
import { expectFlawless } from "../../stress/checker/verdict.ts";
import type { Print } from "../../stress/scenario.ts";
import { openValkey } from "../../support/own-valkey.ts";
import { acceptsAgain } from "./accepts-again.ts";
import { watchEpochs } from "./epochs.ts";
import { figuresOf } from "./figures.ts";
import { withService } from "./with-service.ts";

type RedisRestartedOptions = {
  seed: number;
  clients: number;
  rooms: number;
  perSecond: number;
  restarts: number;
  outageMs: number;
  calmMs: number;
  /** From Redis's first answer until a message is acknowledged. */
  acceptsWithinMs: number;
};

/**
 * Redis is killed under load and restarts with its data, repeatedly. Each time rooms start a new epoch, acknowledged messages are
 * still there, and chat accepts messages again soon.
 */
export async function runRedisRestarted(options: RedisRestartedOptions, print: Print) {
  const valkey = await openValkey();
  try {
    return await withService({ REALTIME_WORKERS: "2", REDIS_URL: valkey.url }, async (service) => {
      const load = await openLoadScenario({ service, ...options });
      try {
        const messageLoad = load.startMessages();
        const acceptedMs: number[] = [];
        for (let restart = 1; restart <= options.restarts; restart++) {
          await pause(options.calmMs);
          const epochs = watchEpochs(load);
          await valkey.kill();
          await pause(options.outageMs);
          await valkey.startAgain();
          acceptedMs.push(await acceptsAgain(messageLoad));
          await epochs.allAreNew(10_000);
          print(`restart ${restart}: accepted again after ${acceptedMs.at(-1)} ms`);
        }
        await pause(options.calmMs);
        await messageLoad.stop();
        await load.settled(15_000);
        const verdict = await load.judge();
        expectFlawless(verdict);
        expect(Math.max(...acceptedMs), "chat accepts again, ms").most(options.acceptsWithinMs);
        expect(messageLoad.refusals.get("unavailable") ?? 0, "sends that were refused meanwhile").above(0);
        return { ...figuresOf(verdict), restarts: options.restarts, acceptedMs: Math.max(...acceptedMs) };
      } finally {
        load.close();
      }
    });
  } finally {
    await valkey.close();
  }
}
