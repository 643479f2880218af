import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { connectMongo } from "../../../store/mongo/driver/connect.ts";
import { connectRedis } from "../../../store/redis/connect.ts";
import { type LoadScenario, openLoadScenario, type Room } from "../../stress/checker/load-scenario.ts";
import { expectFlawless } from "../../stress/checker/verdict.ts";
import type { Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { openValkey } from "../../support/own-valkey.ts";
import type { Service } from "../../support/service.ts";
import { figuresOf } from "./figures.ts";
import { withService } from "./with-service.ts";

type RedisFlushedOptions = {
  seed: number;
  clients: number;
  rooms: number;
  perSecond: number;
  flushes: number;
  calmMs: number;
};

/** A user who may not write in a busy room, and the code of the refusal. */
type Outsider = { room: Room; person: Person; code: string };

/** Attempts of each outsider per flush: from before it until rooms are certainly loaded again. */
const ATTEMPTS = 12;

/**
 * Redis is flushed under load. The gap is announced to every client, bans and modes apply to the very first message afterwards,
 * a timer still fires, and the archive continues.
 */
export async function runRedisFlushed(options: RedisFlushedOptions, print: Print) {
  const valkey = await openValkey();
  try {
    const env = { API_WORKERS: "1", REALTIME_WORKERS: "2", REDIS_URL: valkey.url };
    return await withService(env, (service) => flush(service, options, print));
  } finally {
    await valkey.close();
  }
}

/** The same in a service that is there: one with a Redis of its own. */
export async function flush(service: Service, options: RedisFlushedOptions, print: Print) {
  const url = String(service.env.REDIS_URL);
  const redis = connectRedis({ url, deadlineMs: 5_000, onError: () => undefined });
  const load = await openLoadScenario({ service, ...options });
  try {
    await redis.connect();
    const outsiders = await Promise.all(load.rooms.map((room, i) => outsiderOf(load, room, i)));
    const messageLoad = load.startMessages();
    for (let flush = 1; flush <= options.flushes; flush++) {
      await pause(options.calmMs);
      const stretchesBefore = load.watchers.map(({ trace }) => trace.stretches.length);
      const knocking = Promise.all(outsiders.map(knock));
      await redis.flushall();
      for (const watcher of load.watchers) if (load.random() < 0.4) watcher.cut();
      await knocking;
      await eventually(() => expectAnnounced(load, stretchesBefore), { withinMs: 10_000 });
      print(`flush ${flush}: the gap was announced to every client`);
    }
    await expectTimerFires(load);
    await messageLoad.stop();
    await load.settled(15_000);
    await expectArchived(load, service);
    const verdict = await load.judge();
    // What hadn't been archived is lost, and the gap was announced to all clients.
    expectFlawless(verdict, { mayLose: true });
    return { ...figuresOf(verdict), flushes: options.flushes, knocks: outsiders.length * ATTEMPTS };
  } finally {
    load.close();
    redis.disconnect();
  }
}

/** In turn: a banned user, a timed out one, and a non-follower in a followers-only room. */
async function outsiderOf(load: LoadScenario, room: Room, i: number): Promise<Outsider> {
  const { owner, at } = room.channel;
  const person = await load.given.user();
  if (i % 3 === 2) {
    await owner.api.ok("updateChatSettings", { params: at, body: { followers_only: 10 } });
    return { room, person, code: "followers_only" };
  }
  const params = { ...at, user_id: person.id };
  if (i % 3 === 1) {
    await owner.api.ok("timeoutUser", { params, body: { duration_seconds: 600 } });
    return { room, person, code: "timed_out" };
  }
  await owner.api.ok("banUser", { params });
  return { room, person, code: "banned" };
}

/** Tries to send messages, one after the other. On a busy machine Redis may take too long for some, which lets nobody in either. */
async function knock({ room, person, code }: Outsider): Promise<void> {
  const codes: (string | null)[] = [];
  const answered = () => codes.filter((one) => one !== "unavailable");
  while (answered().length < ATTEMPTS && codes.length < 2 * ATTEMPTS) {
    const body = { content: `let me in ${codes.length}` };
    codes.push((await person.api.call("sendChatMessage", { params: room.channel.at, body })).code);
  }
  const refusals = Array(ATTEMPTS).fill(code);
  expect(answered(), "the refusals of somebody who may not speak").deep.equal(refusals);
}

/** Each client has a new stretch since, which began with the notice that something may be missing. */
function expectAnnounced({ watchers }: LoadScenario, stretchesBefore: readonly number[]): void {
  const silent = watchers.filter(({ trace }, i) => {
    const since = trace.stretches.slice(stretchesBefore[i]);
    return !since.some(({ isGapAnnounced }) => isGapAnnounced);
  });
  expect(silent.length, "clients without an announced gap").equal(0);
}

/** Messages since the last flush reach the archive, although its position in Redis was lost. */
async function expectArchived({ rooms }: LoadScenario, { env }: Service): Promise<void> {
  const mongo = await connectMongo({
    url: String(env.MONGODB_URL),
    database: String(env.MONGODB_DATABASE),
    selectionTimeoutMs: 5_000,
    maxPoolSize: 2,
  });
  try {
    const archive = chatMessagesIn(mongo.db);
    for (const { record } of rooms) {
      const since = [...record.acknowledged].filter(
        (uuid) => record.places.get(uuid)?.epoch === record.head.epoch,
      );
      const isArchived = async () =>
        (await Promise.all(since.map((uuid) => archive.find(record.streamId, uuid)))).every(
          (doc) => doc !== null,
        );
      await eventually(isArchived, { withinMs: 20_000, what: `${since.length} messages are archived` });
    }
  } finally {
    await mongo.close();
  }
}

async function expectTimerFires({ given, rooms }: LoadScenario): Promise<void> {
  const [room] = rooms;
  if (!room) return;
  const { owner, stream, at } = room.channel;
  await given.hook("publish", { key: stream.stream_key });
  await eventually(async () => (await owner.api.ok("getStream", { params: at })).is_live, {
    withinMs: 15_000,
    what: "the stream goes live",
  });
}
