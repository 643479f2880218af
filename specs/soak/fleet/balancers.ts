import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Socket } from "../../realtime/gateway/world.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import { type Host, openTwoHosts } from "../../support/two-hosts.ts";
import { type Balancer, type BalancerName, startBalancer } from "./balancer-programs.ts";

type BalancersOptions = {
  balancer: BalancerName;
  /** Whether stores also go away for all hosts. */
  everywhere: boolean;
};

const REQUEST_EVERY_MS = 50;
/** From a host's own 503 until it gets no request any more: a check's interval, its repetition, and a busy machine. */
const LEAVES_WITHIN_MS = 5_000;
const SOCKETS = 6;
const WATCHED_MS = 12_000;
const WITHOUT_JOBS_MS = 6_000;

type Answer = { at: number; status: number; host: string; isOurs: boolean };
type Load = ReturnType<typeof openLoad>;

/**
 * A balancer by the lines of docs/balancers.md in front of two hosts, with requests all the time. No request fails when a jobs
 * worker dies, and when one host is cut off from Redis, which then gets no more requests and sockets. Throws otherwise.
 */
export async function runBalancer(
  { balancer, everywhere }: BalancersOptions,
  print: Print,
): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "livecore-balancer-"));
  const { hosts, end } = await openTwoHosts({ JOBS_WORKERS: "1", TRUSTED_PROXIES: "127.0.0.1" });
  let front: Balancer | null = null;
  try {
    const [a, b] = hosts;
    front = await startBalancer(balancer, { hosts: [addressOf(a), addressOf(b)], folder });
    const load = openLoad(front.url);
    try {
      await bothServe(hosts, load);
      const drills = { front, hosts, load, print };
      await loseJobs(drills);
      const leftMs = await loseRedisOfOne(drills);
      if (everywhere) await loseEverywhere(drills);
      return { requests: load.answers.length, leftMs };
    } finally {
      await load.stop();
    }
  } finally {
    await front?.stop();
    await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Drills = { front: Balancer; hosts: readonly [Host, Host]; load: Load; print: Print };

const addressOf = ({ http }: Host): string => new URL(http).host;

/** Kills a host's only jobs worker, and keeps the next from getting ready for longer than balancers take to notice. */
async function loseJobs({ hosts, load, print }: Drills): Promise<void> {
  const [host] = hosts;
  const since = performance.now();
  const jobs = () => host.workers().filter(({ kind }) => kind === "jobs" || kind === "");
  const [killed] = jobs();
  process.kill(killed?.pid ?? 0, "SIGKILL");
  const next = await eventually(() => jobs().find(({ pid }) => pid !== killed?.pid) ?? false, {
    what: "another replaces it",
  });
  if (next === false) throw new Error("eventually never gives false");
  process.kill(next.pid, "SIGSTOP");
  await pause(WITHOUT_JOBS_MS);
  assert.equal((await fetch(`${host.http}/healthz`)).status, 503, "the jobs worker is missing");
  const lately = performance.now() - WITHOUT_JOBS_MS / 3;
  for (const one of hosts)
    assert.ok(
      load.answers.some((answer) => answer.at > lately && answer.host === addressOf(one)),
      "both serve",
    );
  process.kill(next.pid, "SIGCONT");
  const isBack = async () => (await fetch(`${host.http}/healthz`)).status === 200;
  await eventually(isBack, { withinMs: 30_000, what: "the jobs worker is back" });
  expectServed(load, since);
  print("without its jobs worker a host had requests");
}

async function loseRedisOfOne({ front, hosts, load, print }: Drills): Promise<number> {
  const [a, b] = hosts;
  const sockets = await openSockets(front);
  const ofB = sockets.filter(({ host }) => host === addressOf(b));
  assert.ok(ofB.length > 0 && ofB.length < SOCKETS, "both hosts have sockets");
  const since = performance.now();
  b.redis.drop();
  await eventually(async () => (await fetch(`${b.http}/servez/rest`)).status === 503, {
    what: "503 of its own",
  });
  const refusedAt = performance.now();
  await pause(LEAVES_WITHIN_MS + 1_000);
  const last = load.answers.findLast(({ host }) => host === addressOf(b));
  const leftMs = Math.max(0, Math.round((last?.at ?? 0) - refusedAt));
  assert.ok(leftMs < LEAVES_WITHIN_MS, `the host had requests for ${leftMs} ms after its 503`);
  await eventually(() => ofB.every(({ socket }) => socket.closed?.code === 1012), {
    what: "its sockets leave",
  });
  assert.ok(
    sockets.every(({ socket, host }) => host === addressOf(b) || socket.closed === null),
    "the other host's sockets stay",
  );
  const again = await openSockets(front);
  assert.ok(
    again.every(({ host }) => host === addressOf(a)),
    "new sockets go to the other host",
  );
  for (const { socket } of [...sockets, ...again]) socket.ws.terminate();
  b.redis.heal();
  await bothServe(hosts, load);
  expectServed(load, since);
  print(`a host without Redis had no requests ${leftMs} ms after its 503, and has them again`);
  return leftMs;
}

async function loseEverywhere({ hosts, load, print }: Drills): Promise<void> {
  const since = performance.now();
  for (const { redis } of hosts) redis.cut();
  await pause(WATCHED_MS);
  await bothServe(hosts, load);
  expectServed(load, since);
  for (const { redis } of hosts) redis.heal();
  print("without Redis both hosts served reads");

  const withoutMongodb = performance.now();
  for (const { mongodb } of hosts) mongodb.cut();
  await pause(WATCHED_MS);
  for (const { mongodb } of hosts) mongodb.heal();
  const theirs = load.answers.filter(({ at, isOurs }) => at > withoutMongodb && !isOurs);
  assert.deepEqual(theirs, [], "without MongoDB the hosts answer themselves");
  const healed = performance.now();
  await eventually(() => load.answers.some(({ at, status }) => at > healed && status === 200));
  print("without MongoDB the hosts answered themselves");
}

async function openSockets(front: Balancer) {
  const opened = Array.from({ length: SOCKETS }, () => {
    const socket = new Socket(`${front.url.replace("http", "ws")}/v1/ws`);
    const one = { socket, host: "" };
    socket.ws.on("upgrade", ({ headers }) => {
      one.host = String(headers["x-host"]);
    });
    return one;
  });
  for (const { socket } of opened) await socket.next("hello");
  return opened;
}

const bothServe = (hosts: readonly Host[], load: Load) => {
  const since = performance.now();
  return eventually(
    () => hosts.every((one) => load.answers.some(({ at, host }) => at > since && host === addressOf(one))),
    { withinMs: 30_000, what: "both hosts serve" },
  );
};

function expectServed({ answers }: Load, since: number): void {
  const failed = answers.filter(({ at, status }) => at > since && status !== 200);
  assert.deepEqual(failed, [], "every request is served");
}

/** Reads without a break, each on a connection of its own. Status 0: no answer. */
function openLoad(url: string) {
  const answers: Answer[] = [];
  async function read(): Promise<void> {
    const at = performance.now();
    const answer = await fetch(`${url}/v1/streams`, {
      headers: { connection: "close" },
      signal: AbortSignal.timeout(15_000),
    }).catch(() => null);
    await answer?.arrayBuffer().catch(() => null);
    const host = answer?.headers.get("x-host")?.split(", ").at(-1) ?? "";
    answers.push({
      at,
      status: answer?.status ?? 0,
      host,
      isOurs: answer?.headers.has("x-request-id") ?? false,
    });
  }
  const running = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const one = read().finally(() => running.delete(one));
    running.add(one);
  }, REQUEST_EVERY_MS);
  return {
    answers,
    async stop(): Promise<void> {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}
