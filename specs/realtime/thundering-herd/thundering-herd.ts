import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { atOnce } from "../../stress/at-once.ts";
import { withChildren } from "../../stress/children.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Print } from "../../stress/scenario.ts";
import { seededRandom } from "../../stress/seed.ts";
import { eventually } from "../../support/eventually.ts";
import { talker } from "../rooms/world.ts";
import { now } from "../wire/clock.ts";
import { openCrowd } from "../wire/crowd.ts";
import type { CrowdReport } from "../wire/crowd-messages.ts";
import type { GatewayLook } from "../wire/gateway-messages.ts";
import { withGateway } from "../wire/gateway-process.ts";
import { RoomReader, stamped } from "../wire/room-reader.ts";

type ThunderingHerdOptions = {
  seed: number;
  clients: number;
  /** Percentage of clients that are signed in. */
  signedInPercent: number;
  /** Number of events that each client has missed. */
  behind: number;
  /** The worker has never had clients in this room: the missed events are only in the log. */
  isColdWorker: boolean;
  /** They reconnect within the time that servers send, as clients do; otherwise all at the same moment. */
  isSpread: boolean;
  /** Sockets of another room, in which chat continues. */
  others: number;
  /** How long these chat before anybody reconnects. */
  calmMs: number;
  backWithinMs: number;
  /** CPU time of the worker per reconnect, handshake included, µs. */
  cpuMicros: number;
  /** Maximum ratio of the other room's p99 to its value before. */
  othersRatio: number;
};

/** Capacity of a ring, for events of usual length. */
const RING = 256;
const OTHERS_PER_SECOND = 100;
/** Below this, a higher p99 is irrelevant. */
const NOBODY_NOTICES_MS = 10;

/** All clients of a room reconnect at once, far behind: shared data is read once, and the rest is cheap. */
export async function runThunderingHerd(options: ThunderingHerdOptions, print: Print) {
  const { clients, signedInPercent, behind, isColdWorker, backWithinMs } = options;
  let elsewhere = "";
  return withGateway(
    async (world) => {
      elsewhere = (await world.channel())._id;
      return { arrivalsOf: [elsewhere] };
    },
    (gateway, world) =>
      withChildren(async (start) => {
        const random = seededRandom(options.seed);
        const stream = await world.channel();
        const streamId = stream._id;
        const enter = (after: string | null, i: number) =>
          new RoomReader({
            port: gateway.port,
            streamId,
            ...(after === null ? {} : { after }),
            ...((i * 37) % 100 < signedInPercent ? { ticket: newId() } : {}),
          });
        const { epoch, seq } = await world.rooms.position(streamId);
        // One client stays, so that the room isn't evicted; a cold worker never had one.
        const stayed = isColdWorker ? [] : [enter(null, 0)];
        const windows = isColdWorker
          ? Array.from({ length: clients }, (_, i) => i / 2)
          : await comeAndGo(clients, (i) => enter(null, i));
        await eventually(async () => (await gateway.look()).stats.sockets === stayed.length);
        const others = await openCrowd(start, {
          database: world.db.databaseName,
          port: gateway.port,
          streamId: elsewhere,
          sockets: options.others,
          perSecond: OTHERS_PER_SECOND,
        });
        others.talk();
        await pause(options.calmMs / 3);
        const calmFrom = { at: now(), look: await gateway.look() };
        await pause(options.calmMs);
        const calm = await others.stop();

        await atOnce(20, [...Array(behind).keys()], () => world.say(stream, talker(), stamped(80)));
        const before = { at: now(), look: await gateway.look() };
        const idle = cpuBetween(calmFrom, before);
        others.talk();
        const herd: RoomReader[] = [];
        for (const [i, windowMs] of windows.entries()) {
          const comeBack = () => void herd.push(enter(`${epoch}:${seq}`, i));
          if (options.isSpread) setTimeout(comeBack, random() * windowMs);
          else comeBack();
        }
        const isBack = (reader: RoomReader) => reader.seq === seq + behind;
        await eventually(() => herd.length === clients && herd.every(isBack), {
          withinMs: backWithinMs * 3,
          what: "all are back",
        });
        const backMs = Math.max(...herd.map(({ lastAt }) => lastAt)) - before.at;
        const after = { at: now(), look: await gateway.look() };
        const beside = await others.stop();
        const { arrivals } = await gateway.look();
        const calmP99 = percentile(waitsOf(arrivals, calm), 0.99);
        const herdP99 = percentile(waitsOf(arrivals, beside), 0.99);

        const used = cpuBetween(before, after) - idle * ((after.at - before.at) / (before.at - calmFrom.at));
        const calls = callsBetween(before.look, after.look);
        const figures = {
          clients,
          behind,
          backMs: Math.round(backMs),
          cpuMicros: Math.round((used * 1_000) / clients),
          ringReplays: after.look.stats.ringReplays - before.look.stats.ringReplays,
          replayReads: after.look.stats.replayReads - before.look.stats.replayReads,
          replayShared: after.look.stats.replayShared - before.look.stats.replayShared,
          predictionsRead: calls("open prediction"),
          viewersCounted: calls("zcount"),
          statesRead: calls("hmget"),
          loopP99Ms: Math.round(after.look.loopP99Ms * 10) / 10,
          logsRead: calls("xrange") + calls("xrevrange"),
          othersCalmP99Ms: calmP99,
          othersHerdP99Ms: herdP99,
          othersSent: beside.sent,
          othersFeltCalmP99Ms: percentile(calm.delays, 0.99),
          othersFeltHerdP99Ms: percentile(beside.delays, 0.99),
        };
        print(JSON.stringify(figures));
        for (const { socket } of [...herd, ...stayed]) socket.cut();
        for (const { missing, repeated, recovered } of herd) {
          expect({ missing, repeated, recovered }).deep.equal({ missing: 0, repeated: 0, recovered: true });
        }
        expect([beside.behind, beside.missing, beside.repeated], "the others are whole").deep.equal([
          0, 0, 0,
        ]);
        expectShared(figures, options);
        expect(figures.backMs, "all are back, ms").most(backWithinMs);
        expect(figures.cpuMicros, "CPU of the worker a client, µs").most(options.cpuMicros);
        expect(herdP99 / Math.max(NOBODY_NOTICES_MS, calmP99), "the others' p99 of what it was before").most(
          options.othersRatio,
        );
        return figures;
      }),
  );
}

/** Clients join and are cut; returns the reconnect windows that were announced to them, ms. */
async function comeAndGo(count: number, enter: (i: number) => RoomReader): Promise<number[]> {
  const readers = await atOnce(100, [...Array(count).keys()], async (i) => {
    const reader = enter(i);
    await eventually(() => reader.isSubscribed);
    return reader;
  });
  for (const { socket } of readers) socket.cut();
  return readers.map(({ retryAfterMs }) => retryAfterMs);
}

/**
 * Time from each message's entry in the log until it reached the gateway, ms. Delays as clients measure them also contain the
 * waits of their own process, on a machine that is full of clients.
 */
function waitsOf(arrivals: GatewayLook["arrivals"], { answers }: CrowdReport): number[] {
  const cameAt = new Map(arrivals.map(([, seq, at]) => [seq, at]));
  return answers.map(([seq, at]) => Math.max(0, (cameAt.get(seq) ?? Number.POSITIVE_INFINITY) - at));
}

type Moment = { at: number; look: GatewayLook };

/** CPU time, ms. */
function cpuBetween(from: Moment, to: Moment): number {
  return to.look.usage.cpuMs - from.look.usage.cpuMs;
}

function callsBetween(from: GatewayLook, to: GatewayLook): (what: string) => number {
  return (what) => (to.calls[what] ?? 0) - (from.calls[what] ?? 0);
}

/** Pages of a hundred events are each read once; shared state is read only as often as its cache expires. */
function expectShared(
  figures: Record<
    "ringReplays" | "replayReads" | "predictionsRead" | "viewersCounted" | "statesRead" | "backMs",
    number
  >,
  { behind, isColdWorker, clients, signedInPercent }: ThunderingHerdOptions,
): void {
  const pages = isColdWorker ? Math.ceil(behind / 100) + 1 : 0;
  expect(figures.replayReads, "pages of the log that were read").most(pages);
  const moments = 2 + figures.backMs / 50;
  expect(figures.predictionsRead, "times that the prediction was read").most(moments);
  expect(figures.viewersCounted, "times that viewers were counted").most(moments);
  // The first clients' reads fill the ring for all others.
  if (behind <= RING) expect(figures.ringReplays, "replays from the ring").least(clients * 0.9);
  const own = Math.ceil((clients * (signedInPercent + 1)) / 100);
  // A page of the log also reads which messages are hidden.
  expect(figures.statesRead, "times that the room's state was read").most(own + moments + pages + 2);
}
