import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import type { Db } from "mongodb";
import { followsCollection } from "../../../store/mongo/channels/follows.ts";
import {
  notificationFactsCollection,
  notificationFactsIn,
} from "../../../store/mongo/notifications/notification-facts.ts";
import { notificationsCollection } from "../../../store/mongo/notifications/notifications.ts";
import { withDatabaseOf, withService } from "../../realtime/failures/with-service.ts";
import { atOnce } from "../../stress/at-once.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { createApi } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { type Channel, givenChannels, type Person } from "../../support/given-channels.ts";
import type { Service } from "../../support/service.ts";
import { givenFacts, liveFact } from "./given-facts.ts";

type FanOutOptions = {
  followers: number;
  /** Other users' requests per second. */
  perSecond: number;
  /** Users who follow one after the other, throughout. */
  fans: number;
  /** How long the other users are measured before the fan-out. */
  calmMs: number;
  notifiedWithinMs: number;
  /** Maximum ratio of the others' p99; null: not checked, on a machine that does other work as well. */
  othersRatio: number | null;
  /** Deadline for single users' notifications to be in their lists. */
  singlesWithinMs: number;
};

/** Kills of the jobs worker are for specs/actors/notifications/kills.spec.ts: here all of it is alive, and much of it. */
const BATCH = 10_000;
const OTHERS = 10;
/** Interval of polls, so that polling costs less than what it measures. */
const LOOK_MS = 200;

/**
 * A channel with many followers goes live in a service of real processes: all followers are notified once and in time, other
 * users' requests take about as long as before, and notifications of single users wait for one turn at most.
 */
export function runFanOut(options: FanOutOptions, print: Print): Promise<Figures> {
  const env = { API_WORKERS: "1", RATE_LIMIT_FACTOR: "1000" };
  return withService(env, (service) => fanOutIn(service, options, print));
}

/** The same in a service that is there. */
export const fanOutIn = (service: Service, options: FanOutOptions, print: Print): Promise<Figures> =>
  withDatabaseOf(service, (db) => fanOut(service, db, options, print));

async function fanOut(service: Service, db: Db, options: FanOutOptions, print: Print): Promise<Figures> {
  const api = createApi(service.http);
  const ingestKey = String(service.env.INGEST_KEYS);
  const given = givenChannels({ api, clock: movableClock(), ingestKey });
  const [owner, single] = [await given.user(), await given.user()];
  const others: Channel[] = [];
  for (let n = 0; n < OTHERS; n++) others.push(await given.channel());
  await follows(db, owner.id, options.followers);
  print(`${options.followers} follow`);

  const fans = await atOnce(4, [...Array(options.fans).keys()], () => given.user());
  const followers = createFollowers(fans, single);
  const load = createLoad(others, options.perSecond);
  const calmly = (ms: number) => load.during(() => followers.during(() => pause(ms)));
  await calmly(2_000);
  const calm = await calmly(options.calmMs);
  const fact = liveFact(owner.id, new Date());
  const _id = `stream_live:${fact.ref}:${owner.id}`;
  const facts = notificationFactsCollection.in(db);
  const begun = performance.now();
  let fanOutMs = 0;
  let singles: number[] = [];
  const busy = await load.during(async () => {
    await notificationFactsIn(db).insert([fact]);
    singles = await followers.during(async () => {
      while (!((await facts.findOne({ _id }))?.listedAt instanceof Date)) {
        fanOutMs = Math.round(performance.now() - begun);
        if (fanOutMs > 3 * options.notifiedWithinMs) throw new Error("not all were notified");
        await pause(LOOK_MS);
      }
    });
  });

  const announcement = { "told.kind": "stream_live", "told.data.sessionId": fact.ref };
  const lines = notificationsCollection.in(db);
  const users = await lines
    .aggregate([{ $match: announcement }, { $group: { _id: "$userId" } }, { $count: "n" }])
    .toArray();
  const figures = {
    followers: options.followers,
    fanOutMs,
    perSecond: Math.round(options.followers / (fanOutMs / 1_000)),
    calmP50: percentile(calm, 0.5),
    busyP50: percentile(busy, 0.5),
    calmP99: percentile(calm, 0.99),
    busyP99: percentile(busy, 0.99),
    requests: calm.length + busy.length,
    single: singles.length,
    singleMost: Math.max(...singles),
  };
  print(JSON.stringify(figures));
  expect(users[0]?.n, "followers that were notified").equal(options.followers);
  expect(await lines.countDocuments(announcement), "lines").equal(options.followers);
  expect(fanOutMs, "until all were notified").most(options.notifiedWithinMs);
  expect(figures.single, "single users who were notified meanwhile").above(0);
  expect(figures.singleMost, "until single users were notified").most(options.singlesWithinMs);
  if (options.othersRatio !== null)
    expect(figures.busyP99, "others' p99").most(options.othersRatio * figures.calmP99);
  return figures;
}

async function follows(db: Db, channelUserId: string, count: number): Promise<void> {
  const at = new Date(Date.now() - 3_600_000);
  for (let left = count; left > 0; left -= BATCH)
    await givenFacts(db).followers(channelUserId, Math.min(left, BATCH), at);
  expect(await followsCollection.in(db).countDocuments({ followingId: channelUserId })).equal(count);
}

/** Users follow the same user, each after that user was notified of the one before; returns how long it took, ms. */
function createFollowers(fans: Person[], single: Person) {
  let n = 0;
  async function followOnce(): Promise<number> {
    const fan = fans[n];
    if (!fan) throw new Error("there are no more who could follow");
    n++;
    const begun = performance.now();
    await fan.api.ok("followUser", { params: { user_id: single.id } });
    while ((await single.api.ok("countUnreadNotifications")).unread_count < n) await pause(LOOK_MS);
    return Math.round(performance.now() - begun);
  }
  return {
    async during(use: () => Promise<unknown>): Promise<number[]> {
      const tookMs: number[] = [];
      let isOver = false;
      const following = (async () => {
        while (!isOver && n < fans.length) {
          tookMs.push(await followOnce());
          await pause(LOOK_MS);
        }
      })();
      try {
        await use();
      } finally {
        isOver = true;
        await following;
      }
      return tookMs;
    },
  };
}

/** Other users' requests on a fixed schedule (open loop); how long each took from its due time, ms. */
function createLoad(others: readonly Channel[], perSecond: number) {
  let n = 0;
  async function request({ owner, at }: Channel, turn: number): Promise<void> {
    if (turn % 4 === 0)
      await owner.api.ok("sendChatMessage", { params: at, body: { content: `line ${turn}` } });
    else if (turn % 4 === 1) await owner.api.ok("getMe");
    else if (turn % 4 === 2) await owner.api.ok("listNotifications");
    else await owner.api.ok("getStream", { params: at });
  }
  return {
    async during(use: () => Promise<unknown>): Promise<number[]> {
      const tookMs: number[] = [];
      const failures: unknown[] = [];
      const underWay = new Set<Promise<void>>();
      const begun = performance.now();
      let sent = 0;
      const sending = setInterval(() => {
        while (sent < ((performance.now() - begun) / 1_000) * perSecond) {
          const due = begun + (sent++ / perSecond) * 1_000;
          const turn = n++;
          const channel = others[turn % others.length];
          if (!channel) return;
          // Each channel gets each kind of request in turn.
          const one = request(channel, Math.floor(turn / others.length) + turn)
            .then(() => void tookMs.push(performance.now() - due))
            .catch((err: unknown) => void failures.push(err))
            .finally(() => underWay.delete(one));
          underWay.add(one);
        }
      }, 5);
      try {
        await use();
      } finally {
        clearInterval(sending);
        await Promise.all(underWay);
      }
      if (failures.length > 0)
        throw new Error(`${failures.length} requests of others failed`, { cause: failures[0] });
      return tookMs;
    },
  };
}
