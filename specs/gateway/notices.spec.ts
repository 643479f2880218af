import { expect } from "chai";
import type { Gateway } from "../../realtime/gateway/gateway.ts";
import { newId } from "../../store/ids.ts";
import { talker } from "../rooms/world.ts";
import { eventually } from "../support/eventually.ts";
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

  it("tells moderators alone what was done, and no longer once they aren't", async () => {
    const stream = await world.channel();
    const [moderator, viewer] = [talker(), talker()];
    const role = { streamId: stream._id, grantedBy: stream.userId, createdAt: new Date() };
    await world.people.setRole({ ...role, userId: moderator.userId, role: "moderator" });
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

  it("shows a prediction's progress at most twice a second, and the last of it for sure", async () => {
    const stream = await world.channel();
    const socket = world.socket(gateway, `/v1/ws/chat/${stream._id}`);
    await socket.next("subscribed");
    const id = newId();

    for (let total = 1; total <= 50; total++) {
      await world.rooms.publish({
        streamId: stream._id,
        type: "prediction.progress",
        data: { id, status: "active", total },
        actor: { ref: `prediction:${id}`, version: total, n: 0 },
      });
    }
    const totals = () =>
      socket.ofType("prediction.progress").map(({ data }) => (data as { total: number }).total);
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
