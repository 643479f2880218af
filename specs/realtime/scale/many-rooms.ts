import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { type StreamDoc, streamsIn } from "../../../store/mongo/channels/streams.ts";
import { atOnce } from "../../stress/at-once.ts";
import type { Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import { streamDoc } from "../../support/stream-doc.ts";
import { talker } from "../rooms/world.ts";
import { type GatewayRooms, withGateway } from "../wire/gateway-process.ts";
import { WireSocket } from "../wire/wire-socket.ts";

type ManyRoomsOptions = {
  seed: number;
  rooms: number;
  /** Messages per room; a few hot rooms, whose rings evict soon, get a multiple of it. */
  messages: number;
  quietMs: number;
  /** Maximum delay of the worker's event loop while nothing happens. */
  loopMostMs: number;
  /** Maximum resident memory per byte of messages in rings. */
  memoryRatio: number;
};

const CHANNELS = 50;
const HOT_ROOMS = 32;
/** Messages in hot rooms per message elsewhere. */
const HOT_SHARE = 8;
const RING = 256;
/** Gives about the size of an event in the log. */
const TEXT = "x".repeat(150);
const EVENT_BYTES = 560;

/**
 * A worker with many rooms of one viewer each isn't slowed down by their number, and keeps little more memory than their
 * texts.
 */
export async function runManyRooms(options: ManyRoomsOptions, print: Print) {
  const { rooms, messages, quietMs, loopMostMs, memoryRatio } = options;
  return withGateway(
    async () => ({}),
    async (gateway, world) => {
      const streams = await insertMany(world, rooms);
      const sockets = await followAll(gateway.port, streams);
      await eventually(async () => (await gateway.look()).stats.rooms === rooms, { withinMs: 60_000 });
      await pause(2_000);
      const before = await gateway.look();
      const { calls } = before;

      await pause(quietMs);
      const quiet = await gateway.look();
      for (let n = 0; n < messages; n++) {
        await atOnce(16, streams, (stream, i) => {
          const hot = Array.from({ length: HOT_SHARE }, (_, k) => streams[(i + k) % HOT_ROOMS] ?? stream);
          return Promise.all([stream, ...hot].map((one) => world.say(one, talker(), `${n} ${TEXT}`)));
        });
      }
      await pause(1_000);
      const after = await gateway.look();
      for (const socket of sockets) socket.cut();

      const bytes = (rooms * messages + HOT_ROOMS * RING) * EVENT_BYTES;
      const figures = {
        rooms,
        loopMostMs: quiet.loopMostMs,
        loopP99Ms: quiet.loopP99Ms,
        written: (quiet.calls.hset ?? 0) - (calls.hset ?? 0),
        memoryRatio: Math.round(((after.usage.rss - quiet.usage.rss) / bytes) * 10) / 10,
      };
      print(JSON.stringify(figures));
      expect(figures.written, "writes while nothing happens").equal(0);
      expect(figures.loopMostMs, "ms by which the event loop is late").most(loopMostMs);
      expect(figures.memoryRatio, "bytes of memory for a byte of messages").most(memoryRatio);
      return figures;
    },
  );
}

async function insertMany(world: GatewayRooms, count: number): Promise<StreamDoc[]> {
  const docs = Array.from({ length: count }, () => streamDoc());
  const streams = streamsIn(world.db);
  await atOnce(32, docs, (doc) => streams.insert(doc));
  return docs;
}

/** Opens sockets that follow fifty rooms each. */
async function followAll(port: number, streams: readonly StreamDoc[]): Promise<WireSocket[]> {
  const portions: StreamDoc[][] = [];
  for (let i = 0; i < streams.length; i += CHANNELS) portions.push(streams.slice(i, i + CHANNELS));
  return atOnce(4, portions, async (portion) => {
    let subscribed = 0;
    const socket = new WireSocket({
      port,
      path: `/v1/ws?ticket=${newId()}`,
      onFrame: (payload) => {
        for (const { type } of JSON.parse(payload.toString())) if (type === "subscribed") subscribed++;
      },
    });
    await socket.upgraded;
    // As many at once as a socket may have pending.
    for (let i = 0; i < portion.length; i += 25) {
      const some = portion.slice(i, i + 25);
      for (const [n, { _id }] of some.entries()) {
        socket.send({ id: i + n, method: "subscribe", params: { channel: `chat:${_id}` } });
      }
      await eventually(() => subscribed === i + some.length, {
        withinMs: 30_000,
        what: "fifty subscriptions",
      });
    }
    return socket;
  });
}
