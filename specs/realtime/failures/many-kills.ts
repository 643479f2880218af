import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { type LoadScenario, openLoadScenario, type Room } from "../../stress/checker/load-scenario.ts";
import { byRest } from "../../stress/checker/message-load.ts";
import { expectFlawless } from "../../stress/checker/verdict.ts";
import type { Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import type { Service } from "../../support/service.ts";
import { watchReturns } from "./comings-back.ts";
import { figuresOf } from "./figures.ts";
import { allReady, withService } from "./with-service.ts";

type ManyKillsOptions = {
  seed: number;
  clients: number;
  rooms: number;
  perSecond: number;
  kills: number;
  /** Concurrent clients with a bad network. */
  unlucky: number;
};

/** Clients that join a silent room, half before the kill and half after it. */
const JOINING = 6;
const MAX_CUTS_IN_A_ROW = 5;
const LONGEST_PAUSE_MS = 300;

/**
 * Kills workers one after the other, API workers included, while clients lose their sockets many times in a row, also during
 * reconnects. At each kill clients join a room without any message, and its first message is sent while they are cut off. No
 * client misses anything or starts over.
 */
export const runManyKills = (options: ManyKillsOptions, print: Print) =>
  withService({ REALTIME_WORKERS: "2" }, (service) => killMany(service, options, print));

/** The same in a service that is there: one with two realtime workers. */
export async function killMany(service: Service, options: ManyKillsOptions, print: Print) {
  const load = await openLoadScenario({ service, ...options });
  const calm = new AbortController();
  try {
    const returns = watchReturns(load.watchers);
    const messageLoad = load.startMessages();
    const cutting = Array.from({ length: options.unlucky }, () => keepCutting(load, calm.signal));
    for (let kill = 1; kill <= options.kills; kill++) {
      // The first: with a single kill that is the one.
      const kind = kill === 1 || load.random() < 0.75 ? "realtime" : "api";
      await killBeside(await load.openRoom(), { service, load, kind });
      print(`kill ${kill} of ${options.kills}: ${kind}`);
      await allReady(service);
    }
    calm.abort();
    const cuts = (await Promise.all(cutting)).reduce((sum, n) => sum + n, 0);
    await messageLoad.stop();
    await load.settled(15_000);
    const verdict = await load.judge();
    expectFlawless(verdict);
    expect(verdict.announcedGaps, "gaps that were announced to clients").equal(0);
    expect(returns.unrecovered(), "clients that couldn't resume").equal(0);
    expect(returns.all().length, "times that clients came back").above(options.kills);
    return { ...figuresOf(verdict), kills: options.kills, cuts, returned: returns.all().length };
  } finally {
    calm.abort();
    load.close();
  }
}

/** Some clients join the silent room, a worker dies, more join, and only then the room's first message is sent. */
async function killBeside(
  room: Room,
  { service, load, kind }: { service: Service; load: LoadScenario; kind: string },
): Promise<void> {
  const [owner] = room.people;
  if (!owner) throw new Error("the room has no owner");
  const early = Array.from({ length: JOINING / 2 }, () => load.enter(room));
  await eventually(() => early.every(({ isCaughtUp }) => isCaughtUp), { withinMs: 10_000 });
  const all = service.workers();
  const candidates = all.filter((worker) => worker.kind === kind);
  const victim = candidates[Math.floor(load.random() * candidates.length)];
  if (!victim) throw new Error(`no ${kind} worker is there to be killed`);
  process.kill(victim.pid, "SIGKILL");
  for (const watcher of early) watcher.cut();
  for (let i = 0; i < JOINING / 2; i++) load.enter(room);
  room.record.acknowledged.add(await byRest(owner.api, room.record).say("the first words", "first"));
  // Until the primary has noticed, all of them pass for ready.
  await eventually(
    () => {
      const now = service.workers();
      return now.length === all.length && !now.some(({ pid }) => pid === victim.pid);
    },
    { withinMs: 30_000, what: "another worker is in its place" },
  );
}

/** Cuts random clients, each several times at random moments; resolves with the number of cuts. */
async function keepCutting({ watchers, random }: LoadScenario, signal: AbortSignal): Promise<number> {
  let cuts = 0;
  while (!signal.aborted) {
    const watcher = watchers[Math.floor(random() * watchers.length)];
    const inARow = 1 + Math.floor(random() * MAX_CUTS_IN_A_ROW);
    for (let i = 0; i < inARow && !signal.aborted; i++) {
      watcher?.cut();
      cuts += 1;
      await pause(random() * LONGEST_PAUSE_MS);
    }
  }
  return cuts;
}
