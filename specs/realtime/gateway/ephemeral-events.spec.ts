import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { unavailable } from "../../../contract/errors.ts";
import { isForEverybody } from "../../../contract/frames.ts";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { eventually } from "../../support/eventually.ts";
import { talker } from "../rooms/world.ts";
import { modAction } from "./mod-action.ts";
import { type GatewayWorld, openGatewayWorld } from "./world.ts";

describe("what reaches a room beside its log", () => {
  let world: GatewayWorld;
  let gateway: Gateway;
  before(async () => {
    world = await openGatewayWorld();
    gateway = await world.gateway();
  });
  after(() => world.close());

  it("sends moderators alone the actions, and no longer once they aren't", async () => {
    const stream = await world.channel();
    const [moderator, viewer] = [talker(), talker()];
    const role = { streamId: stream._id, grantedBy: stream.userId, createdAt: new Date() };
    await world.grantedRoles.setRole({ ...role, userId: moderator.userId, role: "moderator" });
    const connect = (user: typeof viewer) =>
      world.socket(gateway, `/v1/ws/chat/${stream._id}?ticket=${world.ticketFor(user)}`);
    const [mod, other] = [connect(moderator), connect(viewer)];
    await Promise.all([mod.next("subscribed"), other.next("subscribed")]);

    const first = modAction({ by: moderator.userId, room: stream.roomId });
    const second = modAction({ by: moderator.userId, room: stream.roomId });
    await world.act(stream._id, "mod.action", first);
    expect(await mod.next("mod.action")).not.property("seq");
    await world.act(stream._id, "mod.action", second, [
      { kind: "role", userId: moderator.userId, role: null },
    ]);
    await world.act(stream._id, "chat.cleared", {});
    await Promise.all([mod.next("chat.cleared"), other.next("chat.cleared")]);

    expect(mod.ofType("mod.action").map(({ data }) => data)).deep.equal([first]);
    expect(other.ofType("mod.action")).deep.equal([]);
    expect([...mod.problems, ...other.problems]).deep.equal([]);
  });

  it("sends moderators alone each event that isn't marked as one for everybody", async () => {
    const stream = await world.channel();
    const [moderator, viewer] = [await moderatorOf(stream), talker()];
    const connect = (user: typeof viewer) =>
      world.socket(gateway, `/v1/ws/chat/${stream._id}?ticket=${world.ticketFor(user)}`);
    const [mod, other] = [connect(moderator), connect(viewer)];
    await Promise.all([mod.next("subscribed"), other.next("subscribed")]);

    expect(isForEverybody("chat.flagged"), "an event of a later release").equal(false);
    const event = { type: "raid.moved", data: { raid_id: newId(), channel: `chat:${stream._id}` } };
    await world.control.publish({ type: "room.notice", streamId: stream._id, event });
    expect((await mod.next("raid.moved")).data).deep.equal(event.data);
    await world.act(stream._id, "chat.cleared", {});
    await other.next("chat.cleared");

    expect(other.ofType("raid.moved")).deep.equal([]);
    for (const socket of [mod, other]) socket.terminate();
  });

  /** A gateway at which a look at how somebody stands waits for `first`, and with it fails or not. */
  async function gatewayAsking(first: (userId: string | null) => Promise<void>): Promise<Gateway> {
    return world.gateway({
      rooms: {
        ...world.rooms,
        async memberState(streamId, userId) {
          await first(userId);
          return world.rooms.memberState(streamId, userId);
        },
      },
    });
  }

  async function moderatorOf(stream: StreamDoc) {
    const user = talker();
    const role = { streamId: stream._id, grantedBy: stream.userId, createdAt: new Date() };
    await world.grantedRoles.setRole({ ...role, userId: user.userId, role: "moderator" });
    return user;
  }

  it("reaches moderators also when some of those whom it concerns can't be looked at", async () => {
    const unknown = new Set<string | null>();
    const at = await gatewayAsking(async (userId) => {
      if (unknown.has(userId)) throw unavailable();
    });
    const stream = await world.channel();
    const [first, last, target] = [await moderatorOf(stream), await moderatorOf(stream), talker()];
    const join = async (user: typeof target) => {
      const path = `/v1/ws/chat/${stream._id}?ticket=${world.ticketFor(user)}`;
      const socket = world.socket(at, path);
      await socket.next("subscribed");
      return socket;
    };
    await join(target);
    await join(first);
    const reached = await join(last);

    for (const user of [target, first]) unknown.add(user.userId);
    const act = modAction({ by: first.userId, on: target.userId, room: stream.roomId });
    await world.act(stream._id, "mod.action", act);

    expect((await reached.next("mod.action")).data).deep.equal(act);
  });

  it("sends nothing more to a moderator who unsubscribes while that is looked at", async () => {
    const looks: { userId: string | null; go: () => void }[] = [];
    let holds = false;
    const at = await gatewayAsking(async (userId) => {
      if (holds) await new Promise<void>((go) => looks.push({ userId, go }));
    });
    const stream = await world.channel();
    const channel = `chat:${stream._id}`;
    const [leaving, staying] = [await moderatorOf(stream), await moderatorOf(stream)];
    const join = async (user: typeof leaving) => {
      const socket = world.socket(at, `/v1/ws?ticket=${world.ticketFor(user)}`);
      await socket.command("subscribe", { channel });
      return socket;
    };
    const [left, stayed] = [await join(leaving), await join(staying)];
    const look = (n: number) => eventually(() => looks.length === n, { what: `look ${n}` });

    holds = true;
    await world.act(stream._id, "mod.action", modAction({ by: staying.userId, room: stream.roomId }));
    await look(1);
    expect(looks[0]?.userId).equal(leaving.userId);
    await left.command("unsubscribe", { channel });
    looks[0]?.go();
    await look(2);
    looks[1]?.go();
    await stayed.next("mod.action");
    await left.command("ping");

    expect(left.ofType("mod.action")).deep.equal([]);
    expect([...left.problems, ...stayed.problems]).deep.equal([]);
  });

  it("shows a prediction's progress at most twice a second, and the last of it for sure", async () => {
    const stream = await world.channel();
    const socket = world.socket(gateway, `/v1/ws/chat/${stream._id}`);
    await socket.next("subscribed");
    const id = newId();

    for (let total = 1; total <= 50; total++) {
      await world.rooms.publish({
        streamId: stream._id,
        type: "prediction.progress",
        data: progress(stream._id, id, total),
        actor: { ref: `prediction:${id}`, version: total, n: 0 },
      });
    }
    const totals = () =>
      socket.ofType("prediction.progress").map(({ data }) => {
        const { outcomes } = data as ReturnType<typeof progress>;
        return outcomes[0]?.points_pool;
      });
    await eventually(() => totals().at(-1) === 50);

    expect(totals().length).within(2, 5);
    expect((await world.rooms.position(stream._id)).seq).equal(0);
    expect(socket.problems).deep.equal([]);
  });

  it("counts a room's sockets over all workers", async () => {
    const stream = await world.channel();
    const second = await world.gateway();
    const sockets = [gateway, gateway, second].map((at) => world.socket(at, `/v1/ws/chat/${stream._id}`));
    await Promise.all(sockets.map((socket) => socket.next("subscribed")));

    await eventually(async () => (await world.rooms.connections.count(stream._id)) === 3, {
      withinMs: 1_000,
    });
    for (const socket of sockets) socket.terminate();
    await eventually(async () => (await world.rooms.connections.count(stream._id)) === 0, {
      withinMs: 1_000,
    });
  });
});

/** A Prediction into which that much was staked. */
function progress(streamId: string, id: string, total: number) {
  const outcome = (title: string, pool: number) => ({
    id: title,
    title,
    color: null,
    points_pool: pool,
    bettor_count: 1,
  });
  return {
    id,
    stream_id: streamId,
    title: "Will it work?",
    status: "active",
    locks_at: null,
    resolved_outcome_id: null,
    outcomes: [outcome("yes", total), outcome("no", 0)],
    created_at: new Date().toISOString(),
  };
}
