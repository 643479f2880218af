import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { type LoadScenario, openLoadScenario } from "../../stress/checker/load-scenario.ts";
import { expectFlawless } from "../../stress/checker/verdict.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Print } from "../../stress/scenario.ts";
import { createApi } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import type { Service } from "../../support/service.ts";
import { watchReturns } from "./comings-back.ts";
import { figuresOf } from "./figures.ts";
import { withService } from "./with-service.ts";

const TICK_MS = 10;

type RollingRestartOptions = {
  seed: number;
  clients: number;
  rooms: number;
  perSecond: number;
  requestsPerSecond: number;
  calmMs: number;
  /** Limit of reconnects per client. */
  returnsAtMost: number;
  /** Minimum time between the first reconnect and the last one. */
  spreadLeastMs: number;
  /** Maximum share of messages that are answered `unavailable` and retried: a busy machine misses Redis' 150 ms now and then. */
  repeatedShareAtMost: number;
};

/**
 * Replaces all workers under chat and REST load. No message is lost or duplicated, no request fails, and clients reconnect spread
 * over time, each a few times at most.
 */
export async function runRollingRestart(options: RollingRestartOptions, print: Print) {
  return withService({ REALTIME_WORKERS: "2", LOG_LEVEL: "info" }, async (service) => {
    const load = await openLoadScenario({ service, ...options });
    try {
      const messageLoad = load.startMessages();
      const requests = requestEvenly(service, load, options.requestsPerSecond);
      await pause(options.calmMs);
      const old = new Set(service.workers().map(({ pid }) => pid));
      const returns = watchReturns(load.watchers);
      service.signal("SIGUSR2");
      await eventually(() => service.output().includes("all workers are replaced"), { withinMs: 120_000 });
      print("all workers are replaced");
      await returns.everybodyIsBack(30_000);
      await pause(options.calmMs);
      const { sent, failed } = await requests.stop();
      await messageLoad.stop();
      await load.settled(15_000);
      const verdict = await load.judge();
      expectFlawless(verdict);
      expect(
        service.workers().filter(({ pid }) => old.has(pid)),
        "workers of before",
      ).deep.equal([]);
      expect(failed, "failed requests").deep.equal([]);
      expect(
        [...messageLoad.refusals.keys()].filter((code) => code !== "unavailable"),
        "refused sends",
      ).deep.equal([]);
      const repeated = messageLoad.refusals.get("unavailable") ?? 0;
      expect(repeated / messageLoad.sent, `${repeated} of ${messageLoad.sent} sends repeated`).most(
        options.repeatedShareAtMost,
      );
      expect(returns.unrecovered(), "clients that couldn't resume").equal(0);
      const times = load.watchers.map((watcher) => returns.of(watcher).length);
      const at = returns.times();
      const figures = {
        ...figuresOf(verdict),
        requests: sent,
        repeated,
        returned: at.length,
        mostReturns: Math.max(...times),
        spreadMs: Math.max(...at) - Math.min(...at),
        busiestSecond: busiestSecond(at),
        ackP99Ms: percentile(messageLoad.ackMs, 0.99),
      };
      expect(figures.mostReturns, `times that a client came back: ${JSON.stringify(figures)}`).most(
        options.returnsAtMost,
      );
      expect(figures.spreadMs, "returns are spread, ms").least(options.spreadLeastMs);
      return figures;
    } finally {
      load.close();
    }
  });
}

/** Sends read requests at a constant rate, without retries; any answer but 200 is a failure. */
function requestEvenly(service: Service, { rooms }: LoadScenario, perSecond: number) {
  const api = createApi(service.http);
  const failed: unknown[] = [];
  const waiting = new Set<Promise<void>>();
  const startedAt = performance.now();
  let sent = 0;

  async function request(): Promise<void> {
    const params = rooms[sent++ % rooms.length]?.channel.at ?? {};
    const { status } = await api.call("getStream", { params });
    if (status !== 200) failed.push(status);
  }
  const timer = setInterval(() => {
    // By elapsed time, since a tick may be late.
    while (sent < ((performance.now() - startedAt) / 1_000) * perSecond) {
      const pending = request()
        // fetch gives the reason only in `cause`.
        .catch((err: unknown) => void failed.push(err instanceof Error ? String(err.cause ?? err) : err))
        .finally(() => void waiting.delete(pending));
      waiting.add(pending);
    }
  }, TICK_MS);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(waiting);
      return { sent, failed };
    },
  };
}

/** The maximum number of reconnects within one second. */
function busiestSecond(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
}
