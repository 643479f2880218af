import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import { talker } from "../rooms/world.ts";
import { type GatewayProcess, type GatewayRooms, withGateway } from "../wire/gateway-process.ts";
import { RoomReader, stamped } from "../wire/room-reader.ts";

type SlowReadersOptions = {
  seed: number;
  readers: number;
  /** How many of them stop reading. */
  slow: number;
  perSecond: number;
  /** How long all read, and then again while some don't. */
  calmMs: number;
  endedWithinMs: number;
  memoryMiB: number;
  healthyP99Ms: number;
  /** Maximum ratio of the healthy readers' p99 to its value before. */
  healthyRatio: number;
};

const MAX_CONTENT = 500;
const LOOK_MS = 250;
/** The kernel buffers some megabytes of a connection before the worker has to: these events fill the stopped ones' buffers. */
const OWN_EVENT = { prediction_id: newId(), outcome_id: "x".repeat(20_000), amount: 1, payout: 0 };
const OWN_EVERY_MS = 40;

/**
 * Some of a room's readers stop reading while the others continue. The slow ones receive everything up to some event, then 4008;
 * they reconnect and miss nothing. The others aren't affected, and the worker's memory stays bounded.
 */
export async function runSlowReaders(options: SlowReadersOptions, print: Print) {
  const { perSecond, calmMs, endedWithinMs } = options;
  return withGateway(
    async () => ({}),
    async (gateway, world) => {
      const streamId = (await world.channel())._id;
      const enter = (more: { after?: string; ticket?: string } = {}) =>
        new RoomReader({ port: gateway.port, streamId, ...more });
      const users = Array.from({ length: options.slow }, () => newId());
      const readers = Array.from({ length: options.readers }, (_, i) => {
        const ticket = users[i];
        return enter(ticket === undefined ? {} : { ticket });
      });
      await eventually(() => readers.every(({ isSubscribed }) => isSubscribed), { withinMs: 20_000 });
      const slow = readers.slice(0, options.slow);
      for (const { socket } of slow) socket.send({ id: 1, method: "subscribe", params: { channel: "user" } });
      const healthy = readers.slice(options.slow);
      const talk = talkInto(world, streamId, perSecond);

      await pause(calmMs / 2);
      const calm = collect(healthy);
      await pause(calmMs);
      const calmP99 = percentile(calm(), 0.99);
      const before = await gateway.look();
      print(`${readers.length} read, p99 ${calmP99} ms`);

      for (const { socket } of slow) socket.pause();
      const beside = collect(healthy);
      let ended = beside;
      let besideP99 = 0;
      const peak = await watchMemory(gateway, async () => {
        await pause(calmMs);
        besideP99 = percentile(beside(), 0.99);
        const recipients = users.map((userId) => ({ userId, data: OWN_EVENT }));
        ended = collect(healthy);
        const filling = setInterval(() => {
          for (const one of recipients)
            void world.userEvents.publish("prediction.result", [one], { ref: newId(), version: 1, n: 0 });
        }, OWN_EVERY_MS);
        try {
          await eventually(async () => (await gateway.look()).stats.slowReaders >= slow.length, {
            withinMs: endedWithinMs,
            what: "those who stopped reading are ended",
          });
        } finally {
          clearInterval(filling);
        }
      });
      const endedP99 = percentile(ended(), 0.99);
      print(
        `${slow.length} were ended; the others' p99 ${besideP99} ms beside them, ${endedP99} ms meanwhile`,
      );
      for (const { socket } of slow) socket.resume();
      const closings = await Promise.all(slow.map(({ socket }) => socket.closed));

      const returned = slow.map(({ position }) => enter({ after: position }));
      await eventually(() => returned.every(({ isSubscribed }) => isSubscribed), { withinMs: 20_000 });
      await pause(calmMs / 4);
      const { sent, failed } = await talk.stop();
      await eventually(() => [...healthy, ...returned].every(({ seq }) => seq === sent), {
        withinMs: 20_000,
        what: "everybody has seen everything",
      });

      const grewMiB = (peak - before.usage.rss) / 1024 / 1024;
      const figures = {
        sent,
        readers: readers.length,
        slow: slow.length,
        cutAtSeq: percentile(
          slow.map(({ seq }) => seq ?? 0),
          0.5,
        ),
        grewMiB: Math.round(grewMiB * 10) / 10,
        calmP99,
        besideP99,
        endedP99,
      };
      print(JSON.stringify(figures));
      for (const { socket } of [...healthy, ...returned]) socket.cut();
      expect(failed, "sends that failed").equal(0);
      expect(new Set(closings.map(({ code, reason }) => `${code} ${reason}`))).deep.equal(
        new Set(["4008 slow_consumer"]),
      );
      for (const { missing, repeated } of [...readers, ...returned]) {
        expect({ missing, repeated }).deep.equal({ missing: 0, repeated: 0 });
      }
      expect(new Set(returned.map(({ recovered }) => recovered))).deep.equal(new Set([true]));
      expect(grewMiB, "the worker's memory, MiB more").most(options.memoryMiB);
      expect(Math.max(besideP99, endedP99), "the healthy readers' p99, ms").most(options.healthyP99Ms);
      expect(besideP99 / calmP99, "of what it was before").most(options.healthyRatio);
      return figures;
    },
  );
}

/** Sends messages of the maximum length at a constant rate. */
function talkInto({ rooms }: GatewayRooms, streamId: string, perSecond: number) {
  const startedAt = performance.now();
  const waiting = new Set<Promise<unknown>>();
  let sent = 0;
  let failed = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1_000) * perSecond;
    for (; sent < due; sent++) {
      const saying = rooms
        .send({ streamId, sender: talker(), content: stamped(MAX_CONTENT) })
        .then(
          (outcome) => void (outcome.ok || failed++),
          () => void failed++,
        )
        .finally(() => void waiting.delete(saying));
      waiting.add(saying);
    }
  }, 5);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(waiting);
      return { sent, failed };
    },
  };
}

/** Collects the delays of a sample of readers from now on, since each costs time; returns a function that ends it. */
function collect(readers: readonly RoomReader[]): () => number[] {
  const some = readers.filter((_reader, i) => i % Math.ceil(readers.length / 20) === 0);
  for (const reader of some) reader.delays = [];
  return () =>
    some.flatMap((reader) => {
      const { delays } = reader;
      reader.delays = null;
      return delays ?? [];
    });
}

/** The gateway's peak memory while `until` runs, in bytes. */
export async function watchMemory(gateway: GatewayProcess, until: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  let isOver = false;
  const ending = until().finally(() => {
    isOver = true;
  });
  // Its failure is handled where `ending` is awaited below.
  ending.catch(() => undefined);
  while (!isOver) {
    peak = Math.max(peak, (await gateway.look()).usage.rss);
    await pause(LOOK_MS);
  }
  await ending;
  return Math.max(peak, (await gateway.look()).usage.rss);
}
