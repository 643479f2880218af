import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { openLoadScenario } from "../../stress/checker/load-scenario.ts";
import { expectFlawless } from "../../stress/checker/verdict.ts";
import type { Print } from "../../stress/scenario.ts";
import type { Service } from "../../support/service.ts";
import { acceptsAgain } from "./accepts-again.ts";
import { watchEpochs } from "./epochs.ts";
import { figuresOf } from "./figures.ts";
import { openRedisPair } from "./redis-pair.ts";
import { withService } from "./with-service.ts";

type RedisFailoverOptions = {
  seed: number;
  clients: number;
  rooms: number;
  perSecond: number;
  calmMs: number;
  /** How long messages are acknowledged that the replica doesn't receive. */
  behindMs: number;
  acceptsWithinMs: number;
  /** From the first message that is accepted until each client has seen that numbers began anew. */
  newEpochsWithinMs: number;
};

/**
 * The master dies with messages that its replica never received, and the replica takes over. No position is used for two events,
 * and a gap is announced to clients that received lost events.
 */
export async function runRedisFailover(options: RedisFailoverOptions, print: Print) {
  const pair = await openRedisPair();
  print("master and replica are in sync");
  try {
    const env = { API_WORKERS: "1", REALTIME_WORKERS: "2", REDIS_URL: pair.url };
    return await withService(env, (service) => failOver({ service, pair }, options, print));
  } finally {
    await pair.close();
  }
}

/** The same in a service that is there, on that pair. */
export async function failOver(
  { service, pair }: { service: Service; pair: Awaited<ReturnType<typeof openRedisPair>> },
  options: RedisFailoverOptions,
  print: Print,
) {
  const load = await openLoadScenario({ service, ...options });
  try {
    const messageLoad = load.startMessages();
    await pause(options.calmMs);
    const epochs = watchEpochs(load);
    await pair.failOver(options.behindMs);
    const acceptedMs = await acceptsAgain(messageLoad);
    await epochs.allAreNew(options.newEpochsWithinMs);
    print(`accepted again after ${acceptedMs} ms`);
    await pause(options.calmMs);
    await messageLoad.stop();
    await load.settled(15_000);
    const verdict = await load.judge();
    expectFlawless(verdict, { mayLose: true });
    expect(verdict.lost, "messages that the replica never received").above(0);
    // Every room lost its latest events, so every client had received some of them.
    expect(verdict.announcedGaps, "gaps that were announced").least(verdict.clients);
    expect(acceptedMs, "chat accepts again, ms").most(options.acceptsWithinMs);
    return { ...figuresOf(verdict), acceptedMs };
  } finally {
    load.close();
  }
}
