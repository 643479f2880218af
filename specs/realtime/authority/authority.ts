import { expect } from "chai";
import { percentile } from "../../stress/percentile.ts";
import type { Print } from "../../stress/scenario.ts";
import { seededRandom } from "../../stress/seed.ts";
import { createApi } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { givenChannels } from "../../support/given-channels.ts";
import type { Service } from "../../support/service.ts";
import { openStores } from "../../support/stores.ts";
import { withService } from "../failures/with-service.ts";
import { socketsOf } from "../wire/usage.ts";
import { ACTS } from "./acts.ts";
import { openRoom, type Room } from "./room.ts";
import { playRound, type Round } from "./round.ts";

type AuthorityOptions = {
  seed: number;
  /** Open sockets in total, over two workers. */
  sockets: number;
  /** Rounds of each act. */
  rounds: number;
  /** Rooms in which rounds run concurrently. */
  rooms: number;
  reachP99Ms: number;
};

export const AUTHORITY_SERVICE = { REALTIME_WORKERS: "2", API_WORKERS: "2", RATE_LIMIT_FACTOR: "1000" };

/** Longest load before an act, ms; with more, the moderators' rate limit would apply. */
const CALM_MS = 1_500;

/**
 * Users write by REST and sockets over two workers of each kind, and meanwhile are banned, timed out, silenced, logged out or
 * demoted: none of their messages is admitted after the act was answered, and all open sockets learn of it.
 */
export const runAuthority = (options: AuthorityOptions, print: Print) =>
  withService(AUTHORITY_SERVICE, (service) => playActs(service, options, print));

export async function playActs(service: Service, options: AuthorityOptions, print: Print) {
  const random = seededRandom(options.seed);
  const stores = await openStores(service.env.MONGODB_DATABASE);
  const api = createApi(service.http);
  const given = givenChannels({ api, clock: movableClock(), ingestKey: String(service.env.INGEST_KEYS) });
  const port = Number(service.env.REALTIME_PORT);
  const rooms: Room[] = [];
  try {
    for (let room = 0; room < options.rooms; room++) {
      rooms.push(
        await openRoom({ given, stores, port, sockets: Math.round(options.sockets / options.rooms) }),
      );
    }
    const spread = socketsOfWorkers(service);
    print(`${options.sockets} sockets are open: ${spread.join(" and ")} by worker`);
    const plan = Array.from({ length: options.rounds }, () => ACTS).flat();
    const played: Round[] = [];
    const play = async (room: Room) => {
      for (let act = plan.pop(); act; act = plan.pop()) {
        played.push(await playRound(room, act, CALM_MS * (0.4 + 0.6 * random())));
        const { owner, at } = room;
        if (act.name === "mode change")
          await owner.api.ok("updateChatSettings", { params: at, body: { chat_enabled: true } });
      }
    };
    await Promise.all(rooms.map(play));

    const reachMs = played.flatMap((round) => round.reachMs);
    const figures = {
      rounds: played.length,
      sockets: options.sockets,
      reached: reachMs.length,
      sentBefore: sum(played, ({ before }) => before.rest + before.socket),
      triedAfter: sum(played, ({ after }) => after),
      broken: sum(played, ({ broken }) => broken.length),
      reachP50Ms: percentile(reachMs, 0.5),
      reachP99Ms: percentile(reachMs, 0.99),
      reachMaxMs: percentile(reachMs, 1),
    };
    print(JSON.stringify(figures));
    expect(played.flatMap(({ broken }) => broken)).deep.equal([]);
    expect(Math.min(...spread), "sockets of the worker that has fewer").least(options.sockets / 5);
    for (const { act, before, after } of played) {
      expect(before.rest, `sent by REST before the ${act}`).greaterThan(0);
      expect(before.socket, `sent over sockets before the ${act}`).greaterThan(0);
      expect(after, `tried after the ${act}`).greaterThan(0);
    }
    expect(figures.reachP99Ms, "open sockets are notified, ms").most(options.reachP99Ms);
    return figures;
  } finally {
    for (const room of rooms) room.close();
    await stores.close();
  }
}

/** The number of sockets of each worker. */
function socketsOfWorkers(service: Service): number[] {
  return service.workers().flatMap(({ kind, pid }) => (kind === "realtime" ? [socketsOf(pid)] : []));
}

function sum<T>(list: readonly T[], of: (item: T) => number): number {
  return list.reduce((total, item) => total + of(item), 0);
}
