import { expect } from "chai";
import { connectLive, type LiveClient } from "../../../clients/typescript/src/index.ts";
import { connectRoom, type RoomClient } from "../../../clients/typescript/src/sockets/room-client.ts";
import { raidMembersIn } from "../../../store/mongo/raids/raid-members.ts";
import { RAID_ARRIVAL_MS } from "../../../store/mongo/raids/raids.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { CheckedSocket } from "../../support/frames/checked-socket.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const USERS = 20;
const SOCKETS_A_USER = 10;
const ANONYMOUS = 50;

describe("sockets in a raid", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock(), gatewayLimits: { socketsPerUser: 20 } });
  const clients: (LiveClient | RoomClient)[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  type Reader = Pick<Person, "api">;
  const ticketOf = (person: Reader | null) => async () =>
    person ? (await person.api.ok("createWsTicket")).ticket : null;

  /** A socket that follows the room, and what it receives there. */
  function watch({ stream }: Channel, person: Reader | null, followRaids = true, url = world.socketUrl) {
    const client = connectLive({ url, ticket: ticketOf(person), WebSocket: CheckedSocket });
    clients.push(client);
    const room = client.subscribe(`chat:${stream.id}`, undefined, { followRaids });
    const received: string[] = [];
    for (const type of ["raid.go", "raid.moved", "subscribed", "stream.updated"] as const)
      room.on(type, ({ type: one, channel }) => received.push(`${one} ${channel}`));
    return { room, received };
  }
  type Watching = ReturnType<typeof watch>;

  const isIn =
    ({ stream }: Channel) =>
    ({ room }: Watching) =>
      room.isLive && room.topic === `chat:${stream.id}`;

  async function membersAre(raidId: string, count: number): Promise<void> {
    const members = raidMembersIn(world.core.mongo.db);
    await eventually(async () => (await members.count(raidId)) === count, { what: `${count} members` });
  }

  const begin = ({ owner }: Channel, target: Channel) =>
    owner.api.ok("createRaid", { body: { target_user_id: target.owner.id } });

  async function isOver(id: string) {
    world.clock.move(RAID_ARRIVAL_MS);
    return eventually(async () => {
      const raid = await world.core.raids.require(id);
      if (raid.status !== "completed") throw new Error(`the raid is ${raid.status}`);
      return raid;
    });
  }

  const pointsOf = async (person: Person, { owner }: Channel) =>
    (await world.core.points.balance(person.id, owner.id)).balance;

  it("are moved within three seconds if they opted in, and what they bring is counted and paid once", async () => {
    const [source, target] = await Promise.all([given.liveChannel(), given.liveChannel()]);
    const users: Person[] = [];
    for (let n = 0; n < USERS; n++) users.push(await given.user());
    const [stays, optsOut] = [await given.user(), await given.user()];
    const moderator = await given.moderatorOf(source);
    const moving = [
      ...users.flatMap((user) => Array.from({ length: SOCKETS_A_USER }, () => watch(source, user))),
      ...Array.from({ length: ANONYMOUS }, () => watch(source, null)),
    ];
    const staying = [
      watch(source, stays, false),
      watch(source, optsOut),
      watch(source, moderator),
      watch(source, source.owner),
    ];
    await eventually(() => [...moving, ...staying].every(isIn(source)), {
      withinMs: 20_000,
      what: "all are in",
    });
    const raid = await begin(source, target);
    const params = { raid_id: raid.id };
    await optsOut.api.ok("leaveRaid", { params });
    await stays.api.ok("leaveRaid", { params });
    await stays.api.ok("joinRaid", { params });
    await membersAre(raid.id, USERS + 3);
    world.clock.move(10_000);

    const active = await source.owner.api.ok("startRaid", { params });
    const begun = performance.now();
    await eventually(() => moving.every(isIn(target)), { withinMs: 10_000, what: "all are moved" });
    const tookMs = performance.now() - begun;

    expect(active.viewer_count).equal(USERS + 3);
    expect(tookMs).below(3_000);
    expect(staying.every(isIn(source))).equal(true);
    const [here, there] = [`chat:${source.stream.id}`, `chat:${target.stream.id}`];
    const way = [`subscribed ${here}`, `raid.go ${here}`, `raid.moved ${here}`, `subscribed ${there}`];
    for (const { received } of moving) expect(received).deep.equal(way);

    await Promise.all([
      source.owner.api.ok("updateMyStream", { body: { name: "all alone" } }),
      target.owner.api.ok("updateMyStream", { body: { name: "welcome" } }),
    ]);
    await eventually(() => moving.every(({ received }) => received.length === way.length + 1), {
      what: "what happens in the new room",
    });
    for (const { received } of moving) expect(received.at(-1)).equal(`stream.updated ${there}`);
    await eventually(async () => {
      const arrived = await raidMembersIn(world.core.mongo.db).arrivalsAfter(raid.id, "", 1_000);
      expect(arrived.length).equal(USERS);
    });
    expect((await isOver(raid.id)).viewerCount).equal(USERS);
    for (const user of users) expect(await pointsOf(user, target)).equal(250);
    for (const user of [stays, optsOut, moderator]) expect(await pointsOf(user, target)).equal(0);
    expect(
      await world.core.points.ledger(users[0]?.id ?? "", target.owner.id, { skip: 0, limit: 9 }),
    ).property("total", 1);
  });

  it("on the room's own address come by themselves, and members who had left before don't count", async () => {
    const [source, target] = await Promise.all([given.liveChannel(), given.liveChannel()]);
    const [comes, leaves, late] = [await given.user(), await given.user(), await given.user()];
    const room = connectRoom({
      url: world.socketUrl,
      ticket: ticketOf(comes),
      WebSocket: CheckedSocket,
      followRaids: true,
      streamId: source.stream.id,
    });
    clients.push(room);
    const left = watch(source, leaves, false);
    await eventually(() => room.isLive && isIn(source)(left));
    const raid = await begin(source, target);
    await membersAre(raid.id, 2);
    left.room.leave();
    await membersAre(raid.id, 1);
    world.clock.move(10_000);

    await source.owner.api.ok("startRaid", { params: { raid_id: raid.id } });
    await eventually(() => room.isLive && room.streamId === target.stream.id, { what: "it has come" });
    const others = [watch(target, leaves), watch(target, late)];
    await eventually(() => others.every(isIn(target)));
    await eventually(async () => {
      const arrived = await raidMembersIn(world.core.mongo.db).arrivalsAfter(raid.id, "", 9);
      expect(arrived.map(({ userId }) => userId)).deep.equal([comes.id]);
    });

    expect((await isOver(raid.id)).viewerCount).equal(1);
    expect(await pointsOf(comes, target)).equal(250);
    expect(await pointsOf(leaves, target)).equal(0);
  });

  it("of two workers are members and arrive once, each moved by its own", async () => {
    const [source, target] = await Promise.all([given.liveChannel(), given.liveChannel()]);
    const another = await world.anotherGateway();
    const urls = [world.gateway.port, another.port].map((port) => `ws://127.0.0.1:${port}`);
    const [first = "", second = ""] = urls;
    const [here, there, both, stays, leaves] = await Promise.all([1, 2, 3, 4, 5].map(() => given.user()));
    if (!here || !there || !both || !stays || !leaves) throw new Error("five people");
    const moving = [
      ...[watch(source, here, true, first), watch(source, there, true, second)],
      ...urls.map((url) => watch(source, both, true, url)),
    ];
    const staying = urls.map((url) => watch(source, stays, false, url));
    const left = urls.map((url) => watch(source, leaves, true, url));
    await eventually(() => [...moving, ...staying, ...left].every(isIn(source)), { what: "all are in" });
    const raid = await begin(source, target);
    await membersAre(raid.id, 5);
    // Who is still there by another worker's socket is a member; nobody is by none.
    left[0]?.room.leave();
    staying[0]?.room.leave();
    left[1]?.room.leave();
    await membersAre(raid.id, 4);
    world.clock.move(10_000);

    const active = await source.owner.api.ok("startRaid", { params: { raid_id: raid.id } });

    expect(active.viewer_count).equal(4);
    await eventually(() => moving.every(isIn(target)), { what: "both workers have moved theirs" });
    expect(staying[1] && isIn(source)(staying[1])).equal(true);
    for (const { received } of moving)
      expect(received.filter((one) => one.startsWith("raid.moved"))).deep.equal([
        `raid.moved chat:${source.stream.id}`,
      ]);
    await eventually(async () => {
      const arrived = await raidMembersIn(world.core.mongo.db).arrivalsAfter(raid.id, "", 9);
      expect(arrived.map(({ userId }) => userId)).members([here.id, there.id, both.id]);
    });
    expect((await isOver(raid.id)).viewerCount).equal(3);
    for (const user of [here, there, both]) {
      expect(await pointsOf(user, target)).equal(250);
      expect(await world.core.points.ledger(user.id, target.owner.id, { skip: 0, limit: 9 })).property(
        "total",
        1,
      );
    }
    for (const user of [stays, leaves]) expect(await pointsOf(user, target)).equal(0);
  });

  it("of overlays stay with their channel, and hear of no other one's new followers", async () => {
    const [source, target] = await Promise.all([given.liveChannel(), given.liveChannel()]);
    const body = { kind: "alerts", name: "Mine" } as const;
    const { token } = await source.owner.api.ok("createOverlay", { params: source.at, body });
    const [overlay, viewer] = [watch(source, { api: world.api.as({ token }) }), watch(source, null)];
    const followers: string[] = [];
    overlay.room.on("channel.followed", ({ channel }) => followers.push(channel));
    await eventually(() => [overlay, viewer].every(isIn(source)), { what: "both are in" });
    const { id } = await begin(source, target);
    world.clock.move(10_000);
    await source.owner.api.ok("startRaid", { params: { raid_id: id } });
    await eventually(() => isIn(target)(viewer), { what: "the viewer is moved" });

    await given.followerOf(target);
    await given.followerOf(source);
    await eventually(() => expect(followers).deep.equal([`chat:${source.stream.id}`]));
    expect(isIn(source)(overlay)).equal(true);
  });

  it("receive open raids when they subscribe, and are members of those that are pending", async () => {
    const [source, target] = await Promise.all([given.liveChannel(), given.liveChannel()]);
    const user = await given.user();
    const raid = await begin(source, target);
    const seen: unknown[] = [];
    for (const channel of [source, target]) {
      const { room } = watch(channel, user);
      room.on("subscribed", ({ data }) => seen.push(data.state.raids?.map((one) => one.raid.id)));
    }

    await eventually(() => seen.length === 2);
    expect(seen).deep.equal([[raid.id], [raid.id]]);
    await membersAre(raid.id, 1);
  });
});
