import { expect } from "chai";
import { createHost } from "../../../../actors/host/host.ts";
import { FIRST_PICTURE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { raidDefinition } from "../../../../actors/raids/raid/definition.ts";
import { RAID_METRICS } from "../../../../actors/raids/raid/metrics.ts";
import { createRaids } from "../../../../actors/raids/raid/raids.ts";
import { newId } from "../../../../base/ids.ts";
import { silentMeter } from "../../../../base/metrics.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import { prometheusMeter } from "../../../../deploy/processes/metrics/meter.ts";
import { processRegistry } from "../../../../deploy/processes/metrics/registry.ts";
import { createTimerSweeper } from "../../../../jobs/host/timers/sweeper.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import { streamsIn } from "../../../../store/mongo/channels/streams.ts";
import { raidMembersIn } from "../../../../store/mongo/raids/raid-members.ts";
import { RAID_ARRIVAL_MS, RAID_COUNTDOWN_MS, raidsIn } from "../../../../store/mongo/raids/raids.ts";
import { codeOf } from "../../../support/code-of.ts";
import { eventually } from "../../../support/eventually.ts";
import { expectAgreement } from "../../host/agreement.ts";
import { openWorld, type World } from "../../host/world.ts";

const ROUNDS = 12;

describe("raids", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  async function live(): Promise<StreamDoc> {
    const stream = await world.stream();
    await world.broadcasts.publish({ stream, clientId: "1" });
    await world.pass(FIRST_PICTURE_MS);
    return stream;
  }
  const begin = (source: StreamDoc, target: StreamDoc) =>
    world.raids.begin({ source, target, message: null, by: source.userId });
  const statusOf = async (id: string) => (await world.raids.require(id)).status;
  const eventsOf = (id: string) =>
    world.room.filter(({ data }) => Object(data).raid?.id === id).map(({ type }) => type);

  async function pending(): Promise<{ id: string; source: StreamDoc; target: StreamDoc }> {
    const [source, target] = [await live(), await live()];
    return { id: (await begin(source, target))._id, source, target };
  }

  /** Each of the calls by a process of its own. */
  async function atOnce(...calls: ((raids: World["raids"]) => Promise<unknown>)[]): Promise<string[]> {
    return Promise.all(calls.map((call) => codeOf(call(world.rival().raids))));
  }

  it("start once when two moderators start them at once", async () => {
    const { id, source } = await pending();
    world.move(10_000);

    const codes = await atOnce(
      ({ start }) => start(id, source.userId),
      ({ start }) => start(id, newId()),
    );

    expect(codes.sort()).deep.equal(["invalid_state", "ok"]);
    await world.settled();
    expect(eventsOf(id).filter((type) => type === "raid.go").length).equal(1);
  });

  it("are either cancelled or gone when both are requested at once, and the other one is refused", async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const { id, source } = await pending();
      world.move(10_000);
      const calls = [
        ({ start }: World["raids"]) => start(id, source.userId),
        ({ cancel }: World["raids"]) => cancel(id, source.userId),
      ] as const;

      const codes = await atOnce(...(round % 2 === 0 ? calls : [...calls].reverse()));

      expect(codes.sort()).deep.equal(["invalid_state", "ok"]);
      const status = await statusOf(id);
      outcomes.add(status);
      const { items } = await world.raids.history(id, { skip: 0, limit: 10 });
      expect(items.at(-1)?.to.split(".")[0]).equal(status);
      if (status === "active") await world.pass(RAID_ARRIVAL_MS);
    }
    expect([...outcomes].every((status) => ["active", "cancelled"].includes(status))).equal(true);
  });

  it("are cancelled by their owner or go by time when both come at once, and the cancel that lost is refused", async () => {
    // A sweeper whose clock is ahead: to the owner's process it isn't time yet.
    const clock = { now: () => world.clock.now() + 1 };
    const { host } = world.rival({ clock });
    const sweeper = createTimerSweeper({ ...world.deps, clock, host });
    const outcomes = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const { id, source } = await pending();
      await world.pass(RAID_COUNTDOWN_MS - 1);

      const [[code]] = await Promise.all([atOnce(({ cancel }) => cancel(id, source.userId)), sweeper.tick()]);
      await host.idle();

      const status = await statusOf(id);
      expect([code, status]).deep.equal(code === "ok" ? ["ok", "cancelled"] : ["invalid_state", "active"]);
      outcomes.add(status);
      const over = code === "ok" ? ["raid.cancelled", "raid.cancelled"] : ["raid.go", "raid.incoming"];
      await eventually(() => eventsOf(id).length === 4, { what: "its events" });
      expect(eventsOf(id).slice(2)).deep.equal(over);
      await world.pass(60_001);
    }
    expect([...outcomes].every((status) => ["active", "cancelled"].includes(status))).equal(true);
  }).timeout(60_000);

  it("have gone once their countdown is over, also when nobody fires it: a cancel after that is too late", async () => {
    const { id, source } = await pending();
    world.move(RAID_COUNTDOWN_MS - 1);
    expect(await statusOf(id)).equal("pending");
    world.move(1);

    expect(await codeOf(world.raids.cancel(id, source.userId))).equal("invalid_state");

    expect(await world.raids.require(id)).deep.include({
      status: "active",
      startedAt: new Date(world.clock.now()),
    });
  });

  it("do all that is due in its order after a downtime of the sweeper", async () => {
    const { id } = await pending();
    const members = raidMembersIn(world.mongo.db);
    const [comes, stays] = [newId(), newId()];
    await members.came(id, [comes, stays], "worker", new Date());
    const createdAt = world.clock.now();
    world.move(85_000);
    await world.pass(3_600_000);
    await world.pass(0);
    await world.settled();
    // It has gone late, and takes arrivals from then on.
    await world.raids.membersArrived(id, [comes]);
    await world.pass(3_600_000);
    await world.settled();

    const raid = await world.raids.require(id);
    expect(raid.status).equal("completed");
    expect(raid.startedAt?.getTime()).within(createdAt + RAID_COUNTDOWN_MS, world.clock.now());
    const { items } = await world.raids.history(id, { skip: 0, limit: 10 });
    expect(items.map(({ to }) => to)).deep.equal([
      "pending.held",
      "pending.ready",
      "active.arriving",
      "active.settling",
      "completed",
    ]);
    expect(await expectAgreement(world.mongo.db, [`raid:${id}`])).equal(1);
  });

  it("begin once a source, however many requests come at once", async () => {
    const [source, one, two] = [await live(), await live(), await live()];

    const codes = await Promise.all(
      [one, two, one, two].map((target) =>
        codeOf(world.rival().raids.begin({ source, target, message: null, by: source.userId })),
      ),
    );

    expect(codes.sort()).deep.equal(["ok", "raid_in_progress", "raid_in_progress", "raid_in_progress"]);
    expect(await world.mongo.db.collection("raids").countDocuments({ sourceStreamId: source._id })).equal(1);
  });

  it("never wait for a target that is offline, when both happen at once", async function () {
    this.timeout(60_000);
    const outcomes: Record<string, number> = {};
    for (let round = 0; round < ROUNDS * 2; round++) {
      const [source, target] = [await live(), await live()];
      const [broadcasts, { raids }] = [world.rival().broadcasts, world.rival()];

      const [, code] = await Promise.all([
        broadcasts.ownerBanned(target._id),
        codeOf(raids.begin({ source, target, message: null, by: source.userId })),
      ]);
      await world.settled();
      await world.pass(0);
      await world.settled();

      const [raid] = (await raidsIn(world.mongo.db).page(source.userId, { skip: 0, limit: 1 })).items;
      expect((await streamsIn(world.mongo.db).find(target._id))?.isLive).equal(false);
      expect(raid?.status ?? "none").equal(code === "ok" ? "cancelled" : "none");
      outcomes[code] = (outcomes[code] ?? 0) + 1;
      if (raid) expect(eventsOf(raid._id)).include("raid.cancelled");
    }
    expect(["ok", "target_offline"]).include.members(Object.keys(outcomes));
  });

  it("say in the log alone why they aren't accepted", async () => {
    const [source, target] = [await live(), await live()];
    const wanted = await world.raids.settingsOf(target.userId);
    await world.raids.setSettings({ ...wanted, acceptFrom: "nobody" });

    const refused = await begin(source, target).catch((err: unknown) => err);

    expect(refused).instanceOf(ServiceError).include({ code: "raid_not_accepted", details: undefined });
    const line = world.lines.find(({ message }) => message === "a raid isn't accepted");
    expect(line?.fields).include({ why: "accept_from", targetUserId: target.userId });
  });

  it("are refused when the target goes offline between the look at it and the commit", async () => {
    const [source, target] = [await live(), await live()];
    const definition = raidDefinition(
      world.mongo.db,
      world.deps.log,
      silentMeter().record(RAID_METRICS),
      async () => true,
    );
    const { prepare } = definition;
    let looks = 0;
    definition.prepare = async (batch) => {
      const reads = await prepare(batch);
      if (looks++ === 0) await world.broadcasts.ownerBanned(target._id);
      return reads;
    };
    const host = createHost({ ...world.deps, outbox: world.outbox, machines: [definition] });
    const raids = createRaids({ ...world.deps, host, definition });

    expect(await codeOf(raids.begin({ source, target, message: null, by: source.userId }))).equal(
      "target_offline",
    );
    expect(looks).equal(2);
  });

  it("are counted once when they end, by outcome, in the process that they end in", async () => {
    const registry = processRegistry("jobs");
    const { host, raids, broadcasts } = world.rival({ meter: prometheusMeter(registry) });
    const sweeper = createTimerSweeper({ ...world.deps, host });
    const pass = async (ms: number) => {
      world.move(ms);
      await sweeper.tick();
      await host.idle();
    };
    const valuesOf = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values ?? [];

    const gone = await pending();
    const users = [newId(), newId(), newId()];
    await raidMembersIn(world.mongo.db).came(gone.id, users, "worker", new Date());
    await pass(RAID_COUNTDOWN_MS);
    await raids.membersArrived(gone.id, users.slice(1));
    await pass(RAID_ARRIVAL_MS);
    const cancelled = await pending();
    await raids.cancel(cancelled.id, cancelled.source.userId);
    const refused = await pending();
    const wanted = await raids.settingsOf(refused.target.userId);
    await raids.setSettings({ ...wanted, acceptFrom: "nobody" });
    await pass(RAID_COUNTDOWN_MS);
    const alone = await pending();
    // The process that bans hands the raid its message itself, so it is the one that counts.
    await broadcasts.ownerBanned(alone.target._id);
    await pass(0);

    const ended = await valuesOf("livecore_raids_ended_total");
    expect(Object.fromEntries(ended.map(({ labels, value }) => [labels.outcome, value]))).deep.equal({
      completed: 1,
      cancelled: 1,
      not_accepted: 1,
      target_offline: 1,
    });
    const arrived = await valuesOf("livecore_raid_arrived_viewers");
    const [count, sum] = ["_count", "_sum"].map(
      (suffix) => arrived.find((one) => Object(one).metricName?.endsWith(suffix))?.value,
    );
    expect({ count, sum }).deep.equal({ count: 1, sum: 2 });
  });

  it("pay 2,500 arrivals once each, in batches, and are completed with their number", async () => {
    const { id, target } = await pending();
    const members = raidMembersIn(world.mongo.db);
    const users = Array.from({ length: 2_500 }, newId);
    await members.came(id, users, "worker", new Date());
    await members.came(id, users.slice(0, 100), "another", new Date());
    await members.left(id, users.slice(0, 50), "worker");
    await world.pass(RAID_COUNTDOWN_MS);
    expect((await world.raids.require(id)).viewerCount).equal(2_500);
    await Promise.all([world.raids.membersArrived(id, users), world.raids.membersArrived(id, [newId()])]);
    await world.raids.membersArrived(id, users);

    await world.pass(RAID_ARRIVAL_MS);
    await world.settled();

    expect(await world.raids.require(id)).deep.include({ status: "completed", viewerCount: 2_500 });
    const entries = await world.mongo.db.collection("ledger").find({ ref: id }).toArray();
    expect(entries.length).equal(2_500);
    expect(new Set(entries.map(({ userId }) => userId)).size).equal(2_500);
    expect(
      entries.every(({ delta, channelUserId }) => delta === 250 && channelUserId === target.userId),
    ).equal(true);
    // Nobody arrives after that.
    const late = newId();
    await members.came(id, [late], "worker", new Date());
    await world.raids.membersArrived(id, [late]);
    expect(await members.arrivalsAfter(id, "", 3_000)).lengthOf(2_500);
  });

  it("pay a user once in a broadcast of the target, however many come in, and again in the next one", async () => {
    const members = raidMembersIn(world.mongo.db);
    const target = await live();
    const user = newId();
    const entries = () => world.mongo.db.collection("ledger").countDocuments({ userId: user });
    const received = () => world.privateEvents.filter(({ userId }) => userId === user).length;

    async function arriveWith(source: StreamDoc): Promise<void> {
      const { _id: id } = await begin(source, target);
      await members.came(id, [user], "worker", new Date());
      await world.pass(RAID_COUNTDOWN_MS);
      await world.raids.membersArrived(id, [user]);
      await world.pass(RAID_ARRIVAL_MS);
      await world.settled();
      expect(await world.raids.require(id)).deep.include({ status: "completed", viewerCount: 1 });
      expect(await expectAgreement(world.mongo.db, [`raid:${id}`])).equal(1);
    }

    const source = await live();
    await arriveWith(source);
    expect([await entries(), received()]).deep.equal([1, 1]);
    await arriveWith(source);
    await arriveWith(await live());
    expect([await entries(), received()]).deep.equal([1, 1]);

    await world.broadcasts.ownerBanned(target._id);
    await world.settled();
    await world.broadcasts.publish({ stream: target, clientId: "2" });
    await world.pass(FIRST_PICTURE_MS);
    await arriveWith(source);
    expect([await entries(), received()]).deep.equal([2, 2]);
  });

  it("are settled beside each other, and pay who arrived with both once", async () => {
    const members = raidMembersIn(world.mongo.db);
    const target = await live();
    const raids = [await begin(await live(), target), await begin(await live(), target)];
    const users = Array.from({ length: 40 }, newId);
    for (const { _id } of raids) await members.came(_id, users, "worker", new Date());
    await world.pass(RAID_COUNTDOWN_MS);
    for (const { _id } of raids) await world.raids.membersArrived(_id, users);

    await world.pass(RAID_ARRIVAL_MS);
    await world.settled();

    for (const { _id } of raids) expect(await statusOf(_id)).equal("completed");
    const paid = await world.mongo.db
      .collection("ledger")
      .find({ userId: { $in: users } })
      .toArray();
    expect(paid.map(({ userId }) => userId).sort()).deep.equal([...users].sort());
  });
});
