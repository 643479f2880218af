import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { shardOf } from "../../../store/redis/keys.ts";
import { openLoadScenario, type Room } from "../../stress/checker/load-scenario.ts";
import { expectFlawless } from "../../stress/checker/verdict.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import { figuresOf } from "../failures/figures.ts";
import { withService } from "../failures/with-service.ts";
import { expectArchived } from "./archived.ts";
import {
  type EveryDay,
  enter,
  expectCounted,
  expectPrompt,
  moderate,
  receiveAndLeave,
  watch,
} from "./every-day.ts";
import { apart, spread } from "./rooms-everywhere.ts";
import { openStore, type Store, type StoreKind } from "./store.ts";

type WholeServiceOptions = {
  seed: number;
  /** Realtime workers. */
  workers: number;
  redis: StoreKind;
  /** Up to 16 are in different shards. */
  rooms: number;
  clients: number;
  perSecond: number;
  /** Rooms in which all features beside chat are tried. */
  visits: number;
  /** Sockets that are cut at random moments. */
  cuts: number;
  /** How often a server of Redis is killed under load. */
  losses: number;
  outageMs: number;
  refusesWithinMs: number;
};

/**
 * The same test on any topology of the service: chat by REST and socket, resume, moderation, viewers, tickets, users' own
 * events, the archive;
 * and Redis servers that die with some of the rooms, while the others continue.
 */
export async function runWholeService(options: WholeServiceOptions, print: Print) {
  const store = await openStore(options.redis);
  const env = {
    API_WORKERS: "1",
    REALTIME_WORKERS: String(options.workers),
    REDIS_URL: store.url,
    RATE_LIMIT_FACTOR: "1000",
  };
  try {
    return await withService(env, async (service) => {
      print("the service is ready");
      const load = await openLoadScenario({ service, ...options, wants: await spread(store) });
      const messageLoad = load.startMessages();
      try {
        return await evening({ service, load, messageLoad }, store, options, print);
      } finally {
        load.close();
      }
    });
  } finally {
    await store.close();
  }
}

async function evening(day: EveryDay, store: Store, options: WholeServiceOptions, print: Print) {
  const { load, service, messageLoad } = day;
  const shards = new Set(load.rooms.map(({ record }) => shardOf(record.streamId)));
  print(`${load.watchers.length} clients are in rooms of ${shards.size} shards`);
  const guest = await load.given.user();
  const hidden: string[] = [];
  const visited = load.rooms.slice(0, options.visits);
  await Promise.all([
    ...visited.map(async (room) => hidden.push(await moderate(guest, room))),
    ...visited.map((room) => watch(day, guest, room)),
    ...visited.map((room) => enter(day, room.channel.owner, 5)),
    ...visited.map((room) => receiveAndLeave(day, room)),
  ]);
  const promptMs: number[] = [];
  for (const room of visited) promptMs.push(await expectPrompt(room));
  for (let cut = 0; cut < options.cuts; cut++) {
    load.watchers[Math.floor(load.random() * load.watchers.length)]?.cut();
    await pause(20);
  }
  print("moderated, watched, entered, notified, cut");

  const refusalsMs: number[] = [];
  for (let loss = 0; loss < options.losses; loss++) {
    const room = load.rooms[Math.floor(load.random() * load.rooms.length)];
    if (room) refusalsMs.push(...(await lose(room, day, store, options)));
    print(`a server was lost and is back: ${loss + 1}`);
  }
  for (const room of visited) await expectCounted(room);
  await messageLoad.stop();
  await load.settled(30_000);
  const verdict = await load.judge();
  // A replica takes over with what has been replicated so far.
  const mayLose = options.redis === "cluster with replicas";
  expectFlawless(verdict, { mayLose });
  if (!mayLose)
    expect([verdict.announcedGaps, verdict.lost], "gaps announced, messages lost").deep.equal([0, 0]);
  const archived = await expectArchived(service, load.rooms, {
    mayLose,
    isDeleted: (uuid) => hidden.includes(uuid),
  });
  const refusedP99Ms = percentile(refusalsMs, 0.99);
  expect(refusedP99Ms, "a refusal, ms (p99)").most(options.refusesWithinMs);
  return {
    ...figuresOf(verdict),
    shards: shards.size,
    archived,
    promptMs: Math.max(...promptMs),
    refusals: refusalsMs.length,
    refusedP99Ms,
  };
}

/** Kills the server of one room. Resolves with the time that each refusal took. */
async function lose(
  room: Room,
  { load }: EveryDay,
  store: Store,
  { outageMs }: WholeServiceOptions,
): Promise<number[]> {
  const [lost, others] = await apart(store, load.rooms, room);
  const before = new Map(load.rooms.map((one) => [one, one.record.head.epoch]));
  const startAgain = await store.kill(shardOf(room.record.streamId));
  const refusalsMs: number[] = [];
  const until = performance.now() + outageMs;
  while (performance.now() < until) {
    for (const { channel } of lost) {
      const { answer, ms } = await timed(() => attempt(channel, "into the void"));
      expect(answer, "a room without its server").include({ status: 503, code: "unavailable" });
      refusalsMs.push(ms);
    }
    for (const { channel } of others) {
      const answer = await attempt(channel, `still here ${refusalsMs.length} ${until}`);
      expect(answer, "a room whose server lives").include({ status: 201 });
    }
    await pause(250);
  }
  await startAgain();
  await eventually(
    () => {
      const old = lost.filter((one) => one.record.head.epoch <= (before.get(one) ?? 0)).length;
      if (old > 0) throw new Error(`${old} rooms are not back in a new epoch`);
    },
    { withinMs: 20_000 },
  );
  const moved = others.filter((one) => one.record.head.epoch !== before.get(one)).length;
  expect(moved, "rooms with a new epoch whose server lived").equal(0);
  return refusalsMs;
}

const attempt = ({ owner, at }: Room["channel"], content: string) =>
  owner.api.call("sendChatMessage", { params: at, body: { content } });

async function timed<T>(work: () => Promise<T>): Promise<{ answer: T; ms: number }> {
  const startedAt = performance.now();
  const answer = await work();
  return { answer, ms: performance.now() - startedAt };
}
