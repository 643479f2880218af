import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { raidUpdateView } from "../../../actors/raids/raid/view.ts";
import { newId } from "../../../base/ids.ts";
import { raidMembersIn } from "../../../store/mongo/raids/raid-members.ts";
import { type RaidDoc, raidsCollection } from "../../../store/mongo/raids/raids.ts";
import { atOnce } from "../../stress/at-once.ts";
import { withChildren } from "../../stress/children.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Print } from "../../stress/scenario.ts";
import { seededRandom } from "../../stress/seed.ts";
import { eventually } from "../../support/eventually.ts";
import { now } from "../wire/clock.ts";
import { openCrowd } from "../wire/crowd.ts";
import type { CrowdReport } from "../wire/crowd-messages.ts";
import type { GatewayLook } from "../wire/gateway-messages.ts";
import { withGateway } from "../wire/gateway-process.ts";
import { RaidReader } from "./raid-reader.ts";

type RaidLandsOptions = {
  seed: number;
  /** Signed-in sockets, each of a different user. */
  sockets: number;
  /** Percentage of sockets that leave before the raid starts, and of users that opt out. */
  leavePercent: number;
  outPercent: number;
  /** Sockets of another room, in which chat continues. */
  others: number;
  calmMs: number;
  landedWithinMs: number;
  /** Maximum ratio of the other room's p99 to its value before. */
  othersRatio: number;
};

const OTHERS_PER_SECOND = 100;
/** Below this, a higher p99 is irrelevant. */
const NOBODY_NOTICES_MS = 10;

/** A raid moves one room's sockets into another: all that stayed arrive soon, and a third room isn't affected. */
export async function runRaidLands(options: RaidLandsOptions, print: Print) {
  let elsewhere = "";
  return withGateway(
    async (world) => {
      elsewhere = (await world.channel())._id;
      return { arrivalsOf: [elsewhere] };
    },
    (gateway, world) =>
      withChildren(async (start) => {
        const random = seededRandom(options.seed);
        const [source, target] = [await world.channel(), await world.channel()];
        const members = raidMembersIn(world.db);
        const raid = newRaid(source._id, target._id);
        const publish = (type: string, streams: string[], doc: RaidDoc) =>
          Promise.all(
            streams.map((streamId) => world.act(streamId, type, raidUpdateView(doc, new Map(), streamId))),
          );

        const users = Array.from({ length: options.sockets }, newId);
        const others = await openCrowd(start, {
          database: world.db.databaseName,
          port: gateway.port,
          streamId: elsewhere,
          sockets: options.others,
          perSecond: OTHERS_PER_SECOND,
        });
        const all = await atOnce(50, users, async (ticket) => {
          const reader = new RaidReader({ port: gateway.port, streamId: source._id, ticket });
          await eventually(() => reader.topic !== null, { withinMs: 20_000, what: "it is in" });
          return { userId: ticket, reader };
        });
        others.talk();
        await pause(options.calmMs);
        const calm = await others.stop();

        const pendingAt = now();
        await world.db.collection<RaidDoc>(raidsCollection.name).insertOne(raid);
        await publish("raid.pending", [source._id, target._id], raid);
        const count = (n: number) => async () => (await members.count(raid._id)) === n;
        await eventually(count(all.length), { withinMs: 30_000, what: "all are members" });
        const membersMs = now() - pendingAt;
        const chosen = (percent: number) => random() * 100 < percent;
        const left = all.filter(() => chosen(options.leavePercent));
        for (const { reader } of left) reader.socket.cut();
        const stayed = all.filter((one) => !left.includes(one));
        const out = stayed.filter(() => chosen(options.outPercent));
        await atOnce(20, out, ({ userId }) => members.setOptedOut(raid._id, userId, true, new Date()));
        const movers = stayed.filter((one) => !out.includes(one));
        await eventually(count(movers.length), { withinMs: 30_000, what: "those who left are no members" });

        others.talk();
        await pause(options.calmMs / 3);
        const active: RaidDoc = {
          ...raid,
          status: "active",
          takesArrivals: true,
          startedAt: new Date(),
          viewerCount: movers.length,
        };
        await world.db.collection<RaidDoc>(raidsCollection.name).replaceOne({ _id: raid._id }, active);
        const before = await gateway.look();
        const goAt = now();
        await Promise.all([
          publish("raid.go", [source._id], active),
          publish("raid.incoming", [target._id], active),
        ]);
        const isThere = ({ reader }: (typeof all)[number]) => reader.topic === `chat:${target._id}`;
        await eventually(() => movers.every(isThere), {
          withinMs: options.landedWithinMs * 5,
          what: "all that stayed are there",
        });
        const landedMs = Math.max(...movers.map(({ reader }) => reader.since)) - goAt;
        const arrivals = async () => (await members.arrivalsAfter(raid._id, "", all.length + 1)).length;
        await eventually(async () => (await arrivals()) === movers.length, {
          withinMs: 20_000,
          what: "all have arrived",
        });
        const arrivedMs = now() - goAt;
        await pause(options.calmMs / 3);
        const beside = await others.stop();
        const after = await gateway.look();

        const calmP99 = percentile(waitsOf(after.arrivals, calm), 0.99);
        const raidP99 = percentile(waitsOf(after.arrivals, beside), 0.99);
        const figures = {
          sockets: all.length,
          moved: movers.length,
          membersMs: Math.round(membersMs),
          landedMs: Math.round(landedMs),
          arrivedMs: Math.round(arrivedMs),
          cpuMicros: Math.round(((after.usage.cpuMs - before.usage.cpuMs) * 1_000) / movers.length),
          othersCalmP99Ms: calmP99,
          othersRaidP99Ms: raidP99,
          loopP99Ms: after.loopP99Ms,
          loopMostMs: after.loopMostMs,
        };
        print(JSON.stringify(figures));
        for (const { reader } of stayed) reader.socket.cut();
        const way = ["subscribed", "raid.pending", "raid.go", "raid.moved", "subscribed", "raid.incoming"];
        for (const { reader } of movers) expect(way.join(), "in this order").contain(reader.received.join());
        expect(out.filter(isThere).length, "moved though they had opted out").equal(0);
        expect([beside.behind, beside.missing, beside.repeated], "the others are whole").deep.equal([
          0, 0, 0,
        ]);
        expect(landedMs, "all that stayed are there, ms").most(options.landedWithinMs);
        expect(raidP99 / Math.max(NOBODY_NOTICES_MS, calmP99), "the others' p99 of what it was before").most(
          options.othersRatio,
        );
        return figures;
      }),
  );
}

const newRaid = (sourceStreamId: string, targetStreamId: string): RaidDoc => ({
  _id: newId(),
  sourceStreamId,
  targetStreamId,
  sourceUserId: newId(),
  targetUserId: newId(),
  createdBy: newId(),
  status: "pending",
  isOpen: true,
  takesArrivals: false,
  viewerCount: 0,
  message: null,
  createdAt: new Date(),
  startedAt: null,
  completedAt: null,
});

/** Time from each message's entry in the log until it reached the gateway, ms. */
function waitsOf(arrivals: GatewayLook["arrivals"], { answers }: CrowdReport): number[] {
  const cameAt = new Map(arrivals.map(([, seq, at]) => [seq, at]));
  return answers.map(([seq, at]) => Math.max(0, (cameAt.get(seq) ?? Number.POSITIVE_INFINITY) - at));
}
