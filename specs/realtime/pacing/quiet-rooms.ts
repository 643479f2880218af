import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { withChildren } from "../../stress/children.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import { talker } from "../rooms/world.ts";
import { now } from "../wire/clock.ts";
import { openCrowd } from "../wire/crowd.ts";
import type { CrowdReport } from "../wire/crowd-messages.ts";
import { type GatewayProcess, type GatewayRooms, withGateway } from "../wire/gateway-process.ts";
import { RoomReader } from "../wire/room-reader.ts";

type QuietRoomsOptions = {
  seed: number;
  hotPerSecond: number;
  hotSockets: number;
  quietRooms: number;
  talkMs: number;
  /** Median time from an event's arrival in the worker until a client in another process has read it, ms. */
  quietP50Ms: number;
  /** p99 in the hot room, from the sending, ms. */
  hotP99Ms: number;
};

/** Each quiet room gets a message this often, one room after the other. */
const QUIET_EVERY_MS = 1_000;

/**
 * A worker that sends 1,000 messages a second into one room doesn't delay quiet rooms, while the hot room's events are batched:
 * many in one frame.
 */
export async function runQuietRooms(options: QuietRoomsOptions, print: Print) {
  const { hotPerSecond, hotSockets, quietRooms, talkMs, quietP50Ms, hotP99Ms } = options;
  let hot = "";
  let quiet: string[] = [];
  return withGateway(
    async (world) => {
      hot = (await world.channel())._id;
      quiet = await Promise.all(Array.from({ length: quietRooms }, async () => (await world.channel())._id));
      return { arrivalsOf: quiet };
    },
    (gateway, world) =>
      withChildren(async (start) => {
        const place = { database: world.db.databaseName, port: gateway.port, streamId: hot };
        const crowd = await openCrowd(start, { ...place, sockets: hotSockets, perSecond: hotPerSecond });
        const listening = quiet.map((streamId) => listen(gateway.port, streamId));
        await eventually(() => listening.every(({ reader }) => reader.isSubscribed));
        const before = await gateway.look();

        const calm = await talkInto(world, listening, talkMs / 2);
        print(`alone: p50 ${percentile(calm.felt, 0.5)} ms from the answer to the sender on`);
        crowd.talk();
        await pause(QUIET_EVERY_MS / 2);
        const beside = await talkInto(world, listening, talkMs);
        const report = await crowd.stop();
        const after = await gateway.look();

        const inGateway = delaysOf(after, listening);
        const figures = {
          hotSent: report.sent,
          hotPerSecond: Math.round((report.sent * 1_000) / (talkMs + QUIET_EVERY_MS / 2)),
          eventsAFrame: Math.round((10 * report.events) / report.frames) / 10,
          hotP50Ms: percentile(report.delays, 0.5),
          hotP99Ms: percentile(report.delays, 0.99),
          quietSamples: inGateway.length,
          quietInGatewayP50Ms: percentile(inGateway, 0.5),
          quietInGatewayP99Ms: percentile(inGateway, 0.99),
          quietFeltP50Ms: percentile(beside.felt, 0.5),
          quietFeltP99Ms: percentile(beside.felt, 0.99),
          quietAloneP50Ms: percentile(calm.felt, 0.5),
          gatewayCpuMs: Math.round(after.usage.cpuMs - before.usage.cpuMs),
        };
        print(JSON.stringify(figures));
        for (const { reader } of listening) reader.socket.cut();
        expectWhole(report);
        for (const { reader } of listening) expect([reader.missing, reader.repeated]).deep.equal([0, 0]);
        expect(inGateway.length, "every quiet message came").equal(beside.sent + calm.sent);
        expect(figures.eventsAFrame, "events a frame in the hot room").least(hotPerSecond / 250);
        expect(figures.quietInGatewayP50Ms, "quiet rooms' median in the gateway, ms").most(quietP50Ms);
        expect(figures.hotP99Ms, "the hot room's p99, ms").most(hotP99Ms);
        return figures;
      }),
  );
}

type Listening = ReturnType<typeof listen>;

function listen(port: number, streamId: string) {
  const seen = new Map<number, number>();
  const reader = new RoomReader({ port, streamId });
  reader.onSeq = (seq) => void seen.set(seq, now());
  return { streamId, reader, seen };
}

/** Sends messages to the rooms in turn for that long; resolves once all were received. */
async function talkInto({ rooms }: GatewayRooms, listening: readonly Listening[], ms: number) {
  const felt: number[] = [];
  const until = now() + ms;
  let sent = 0;
  for (let turn = 0; now() < until; turn++) {
    const room = listening[turn % listening.length];
    if (!room) throw new Error("no room to talk in");
    const outcome = await rooms.send({ streamId: room.streamId, sender: talker(), content: `quiet ${turn}` });
    const answeredAt = now();
    if (!outcome.ok) throw new Error(`refused: ${outcome.code}`);
    sent++;
    await eventually(() => room.seen.has(outcome.seq));
    felt.push(Math.max(0, (room.seen.get(outcome.seq) ?? 0) - answeredAt));
    await pause(QUIET_EVERY_MS / listening.length);
  }
  return { felt, sent };
}

/** Delays from each event's arrival in the gateway until its client had read it, ms. */
function delaysOf(
  { arrivals }: Awaited<ReturnType<GatewayProcess["look"]>>,
  listening: readonly Listening[],
) {
  const rooms = new Map(listening.map(({ streamId, seen }) => [streamId, seen]));
  return arrivals.flatMap(([streamId, seq, at]) => {
    const readAt = rooms.get(streamId)?.get(seq);
    return readAt === undefined ? [] : [readAt - at];
  });
}

function expectWhole({ refused, behind, missing, repeated }: CrowdReport): void {
  expect({ refused, behind, missing, repeated }).deep.equal({
    refused: 0,
    behind: 0,
    missing: 0,
    repeated: 0,
  });
}
