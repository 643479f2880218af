import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { connectRoom, type RoomClient } from "../../../clients/typescript/src/sockets/room-client.ts";
import { broadcastsCollection } from "../../../store/mongo/live/broadcasts.ts";
import { keys } from "../../../store/redis/keys.ts";
import { atOnce } from "../../stress/at-once.ts";
import type { Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import { CheckedSocket } from "../../support/frames/checked-socket.ts";
import { type Channel, type Given, givenChannels, type Person } from "../../support/given-channels.ts";
import { openMongod } from "../../support/own-mongod.ts";
import { openStores } from "../../support/stores.ts";
import { openWorld, type World } from "../../support/world.ts";
import { Socket } from "../gateway/world.ts";

type MongoHangingOptions = {
  seed: number;
  /** Half of them by socket, half by REST. */
  talkers: number;
  calmMs: number;
  frozenMs: number;
  /** Limit for the acknowledgement of a message while MongoDB hangs. */
  ackMostMs: number;
  /** Limit for refusing requests that need MongoDB. */
  refusedWithinMs: number;
};

/** The pace that the rate limit allows: 20 in 30 s. */
const EACH_MS = 1_600;
const SETUP_AT_ONCE = 4;

type Talker = { person: Person; client: RoomClient | null };
type Scene = { world: World; given: Given; channel: Channel; talkers: Talker[] };

/**
 * MongoDB hangs: it keeps its connections and doesn't answer. Messages in an active room are acknowledged as before, by REST and
 * socket; a signed-in viewer can join; requests that need MongoDB are refused soon; and everything works again afterwards.
 */
export async function runMongoHanging(options: MongoHangingOptions, print: Print) {
  const mongod = await openMongod();
  const stores = () => openStores("livecore_hanging", { mongodbUrl: mongod.url, selectionTimeoutMs: 3_000 });
  const world = await openWorld({ stores });
  const clients: RoomClient[] = [];
  try {
    const scene = await openScene(world, options.talkers, clients);
    const calm = await talk(scene, options.calmMs);
    await owePoints(scene);

    mongod.freeze();
    // After this time, workers' caches of ended sessions have expired.
    await pause(1_500);
    const [frozen, wait] = await Promise.all([
      talk(scene, options.frozenMs),
      expectRefusals(scene, options.refusedWithinMs),
      expectNewcomer(scene, clients),
    ]);
    mongod.thaw();

    const figures = {
      sends: frozen.tookMs.length,
      calmP99Ms: p99(calm.tookMs),
      hangingP99Ms: p99(frozen.tookMs),
      hangingMostMs: Math.max(...frozen.tookMs),
      refusedMs: wait,
    };
    print(JSON.stringify(figures));
    expect(frozen.failures, "sends and heartbeats that weren't acknowledged").deep.equal([]);
    expect(figures.hangingMostMs, "ms until a send was acknowledged, at most").most(options.ackMostMs);
    await expectAllWell(scene);
    return figures;
  } finally {
    mongod.thaw();
    for (const client of clients) client.close();
    await world.close();
    await mongod.close();
  }
}

async function openScene(world: World, count: number, clients: RoomClient[]): Promise<Scene> {
  const given = givenChannels(world);
  const channel = await given.channel();
  await goLive(world, channel);
  const talkers: Talker[] = [];
  await atOnce(SETUP_AT_ONCE, [...Array(count).keys()], async (n) => {
    const person = await given.user();
    const client = n % 2 === 0 ? connect(world, channel, person) : null;
    if (client) {
      clients.push(client);
      await eventually(() => client.isLive, { withinMs: 20_000, what: "a talker's subscription" });
    }
    talkers.push({ person, client });
  });
  return { world, given, channel, talkers };
}

/** Writes what the live-stream actor would; nobody publishes here. */
async function goLive({ core }: World, { at, owner }: Channel): Promise<void> {
  const [sessionId, liveSince] = [newId(), new Date()];
  await broadcastsCollection.in(core.mongo.db).insertOne({
    _id: sessionId,
    streamId: at.stream_id,
    ownerId: owner.id,
    startedAt: liveSince,
    endedAt: null,
    endReason: null,
    peakViewers: 0,
    viewerSum: 0,
    samples: 0,
  });
  await core.streams.update(at.stream_id, { $set: { isLive: true, sessionId, liveSince } });
}

function connect(world: World, { at }: Channel, { api }: Person): RoomClient {
  const ticket = async () => (await api.ok("createWsTicket")).ticket;
  return connectRoom({ url: world.socketUrl, streamId: at.stream_id, ticket, WebSocket: CheckedSocket });
}

/** All talkers send messages, each after a heartbeat. */
async function talk({ world, channel: { at }, talkers }: Scene, forMs: number) {
  const tookMs: number[] = [];
  const failures: string[] = [];
  const noting = (what: string) => (err: unknown) => void failures.push(`${what}: ${String(err)}`);
  const until = performance.now() + forMs;

  async function say({ person, client }: Talker, content: string): Promise<void> {
    // Not awaited.
    client?.call("heartbeat", at).catch(noting("heartbeat"));
    const from = performance.now();
    await (client
      ? client.say(content)
      : person.api.ok("sendChatMessage", { params: at, body: { content } }));
    tookMs.push(Math.round(performance.now() - from));
  }
  await Promise.all(
    talkers.map(async (talker, n) => {
      await pause((n * EACH_MS) / talkers.length);
      while (performance.now() < until) {
        await say(talker, `says ${newId()}`).catch(noting("send"));
        await pause(EACH_MS);
      }
    }),
  );
  await Promise.all(
    talkers.map(({ person, client }) =>
      client ? null : person.api.ok("heartbeat", { body: at }).catch(noting("heartbeat")),
    ),
  );
  expect(world.gateway.isReady()).equal(true);
  return { tookMs, failures };
}

/** Sets watch times so that everybody has watched for five minutes at the next heartbeat. */
async function owePoints({ world, channel: { at }, talkers }: Scene): Promise<void> {
  for (const { person } of talkers) {
    await world.core.redis.hset(keys.watchTime(at.stream_id), `u:${person.id}`, `300000:${Date.now()}:`);
  }
}

/** Returns how long the slowest one took, ms. */
async function expectRefusals({ world, channel, talkers }: Scene, withinMs: number): Promise<number> {
  const [first] = talkers;
  if (!first) throw new Error("There is no talker");
  const from = performance.now();
  const answers = await Promise.all([
    world.api.call("getStream", { params: channel.at }),
    world.api.call("listChatMessages", { params: channel.at }),
    first.person.api.call("getMe"),
  ]);
  const took = performance.now() - from;
  expect(answers.map(({ status }) => status)).deep.equal([503, 503, 503]);
  expect(took, "ms until reads were refused").most(withinMs);
  return Math.round(took);
}

/** A user joins with a new ticket; on the same socket, subscribing to a cold room doesn't block other commands. */
async function expectNewcomer({ world, channel, talkers }: Scene, clients: RoomClient[]): Promise<void> {
  const last = talkers.at(-1);
  if (!last) throw new Error("There is no talker");
  const { ticket } = await last.person.api.ok("createWsTicket");
  const socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${ticket}`);
  const warm = `chat:${channel.at.stream_id}`;
  const cold = socket.command("subscribe", { channel: `chat:${newId()}` }, 8_000);
  expect(await socket.command("subscribe", { channel: warm })).property("data");
  const { data } = await socket.next("subscribed");
  expect(data).property("state").not.property("prediction");
  expect(await socket.command("heartbeat", channel.at)).nested.property("data.viewer_count");
  expect(await cold).nested.include({ "error.code": "unavailable" });
  expect(socket.problems).deep.equal([]);
  socket.terminate();
  const client = connect(world, channel, last.person);
  clients.push(client);
  await eventually(() => client.isLive, { withinMs: 2_000, what: "somebody comes while MongoDB hangs" });
}

/** Points that couldn't be paid while MongoDB hung are paid with a later heartbeat. */
async function expectAllWell({ world, given, channel, talkers }: Scene): Promise<void> {
  await eventually(() => world.api.ok("getStream", { params: channel.at }), { withinMs: 10_000 });
  for (const { person } of talkers) {
    await eventually(
      async () => {
        await world.core.watching.heartbeat(channel.at.stream_id, { userId: person.id });
        const points = await person.api.ok("getPoints", { params: { user_id: channel.owner.id } });
        expect(points.balance).equal(10);
      },
      { withinMs: 10_000 },
    );
  }
  const newcomer = await given.user();
  await newcomer.api.ok("sendChatMessage", { params: channel.at, body: { content: "all is well" } });
}

function p99(tookMs: readonly number[]): number {
  return tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length * 0.99)] ?? Number.NaN;
}
