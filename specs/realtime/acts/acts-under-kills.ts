import { expect } from "chai";
import { openLoadScenario } from "../../stress/checker/load-scenario.ts";
import { expectFlawless } from "../../stress/checker/verdict.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import type { Service } from "../../support/service.ts";
import { figuresOf } from "../failures/figures.ts";
import { allReady, withService } from "../failures/with-service.ts";
import { readAsBot } from "./bot-reads.ts";
import { decideHeld } from "./held-decisions.ts";
import { voteInPolls } from "./poll-votes.ts";
import { whisper } from "./whispers.ts";
import type { Acts, ActsWorld } from "./world.ts";

type ActsUnderKillsOptions = {
  seed: number;
  /** All kinds of acts run in each of them. */
  rooms: number;
  clients: number;
  perSecond: number;
  /** Concurrent authors of held messages in each room. */
  authors: number;
  voters: number;
  bots: number;
  kills: number;
};

/** Realtime workers hold waits and sockets, API workers make decisions, jobs finish what was left. */
const KINDS = ["realtime", "api", "jobs", "api"] as const;

/**
 * Kills workers of all kinds while messages are held and decided about, polls are voted in, users whisper and bots wait for
 * messages.
 * No acknowledged result is lost, and nothing exists or is announced twice.
 */
export const runActsUnderKills = (options: ActsUnderKillsOptions, print: Print) =>
  withService({ REALTIME_WORKERS: "2", JOBS_WORKERS: "2" }, (service) =>
    actUnderKills(service, options, print),
  );

/** The same in a service that is there: one with two workers of each kind. */
export async function actUnderKills(service: Service, options: ActsUnderKillsOptions, print: Print) {
  const load = await openLoadScenario({ ...options, service });
  const calm = new AbortController();
  const acts: Acts[] = [];
  try {
    for (const room of load.rooms) {
      acts.push(...(await begin({ service, load, room, signal: calm.signal }, options)));
    }
    print(`${acts.length} kinds of acts are under way in ${load.rooms.length} rooms`);
    const over = Promise.all(acts.map((one) => one.over));
    const messageLoad = load.startMessages();
    const kill = async () => {
      for (let n = 0; n < options.kills; n++) {
        await goOn(acts);
        if (calm.signal.aborted) return;
        const kind = KINDS[n % KINDS.length] ?? "api";
        killOne(service, kind, load.random());
        print(`kill ${n + 1} of ${options.kills}: ${kind}`);
        await allReady(service);
      }
      await goOn(acts);
    };
    // They end early only when one got an answer that it must not get.
    await Promise.race([kill(), over]);
    calm.abort();
    await over;
    await messageLoad.stop();
    const figures: Figures[] = [];
    for (const one of acts) figures.push(await one.check());
    await load.settled(15_000);
    const verdict = await load.judge();
    expectFlawless(verdict);
    expect(verdict.announcedGaps, "gaps that were announced to clients").equal(0);
    return { ...figuresOf(verdict), ...sumOf(figures), kills: options.kills };
  } finally {
    calm.abort();
    for (const one of acts) one.close();
    load.close();
  }
}

/** Starts all acts in one room, in the order in which they are checked. */
async function begin(world: ActsWorld, options: ActsUnderKillsOptions): Promise<Acts[]> {
  // They read from before the first message.
  const bots = [];
  for (let i = 0; i < options.bots; i++) bots.push(await readAsBot(world));
  const held = await decideHeld(world, options.authors);
  const polls = await voteInPolls(world, options.voters);
  return [held, polls, await whisper(world), ...bots];
}

/** Waits until each of them has got another answer. */
async function goOn(acts: readonly Acts[]): Promise<void> {
  const before = acts.map((one) => one.done());
  await eventually(() => acts.every((one, i) => one.done() > (before[i] ?? 0)), {
    withinMs: 60_000,
    what: "everything goes on",
  });
}

function killOne(service: Service, kind: string, random: number): void {
  const candidates = service.workers().filter((worker) => worker.kind === kind);
  const victim = candidates[Math.floor(random * candidates.length)];
  if (!victim) throw new Error(`no ${kind} worker is there to be killed`);
  process.kill(victim.pid, "SIGKILL");
}

function sumOf(all: readonly Figures[]): Figures {
  const sum: Figures = {};
  for (const figures of all)
    for (const [name, value] of Object.entries(figures)) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}
