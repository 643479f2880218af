import { expect } from "chai";
import type { Gateway } from "../../../realtime/gateway/gateway.ts";
import type { RoomStateChange } from "../../../realtime/rooms/types.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { eventually } from "../../support/eventually.ts";
import { modAction } from "../gateway/mod-action.ts";
import { type GatewayWorld, openGatewayWorld, type Socket } from "../gateway/world.ts";
import { type Talker, talker } from "../rooms/world.ts";

describe("Whom an act is about", () => {
  let world: GatewayWorld;
  let gateways: Gateway[];
  before(async () => {
    world = await openGatewayWorld();
    gateways = [await world.gateway(), await world.gateway()];
  });
  after(() => world.close());

  /** One socket at each worker. */
  async function present(stream: StreamDoc, user: Talker): Promise<Socket[]> {
    const sockets = gateways.map((at) =>
      world.socket(at, `/v1/ws/chat/${stream._id}?ticket=${world.ticketFor(user)}`),
    );
    await Promise.all(sockets.map((socket) => socket.next("subscribed")));
    return sockets;
  }

  async function act(stream: StreamDoc, target: Talker, effect: RoomStateChange): Promise<string> {
    const action = modAction({ by: stream.userId, on: target.userId, room: stream.roomId });
    await world.act(stream._id, "mod.action", action, [effect]);
    return action.id;
  }
  const standings = (socket: Socket) => socket.ofType("room.standing").map(({ data }) => data);
  const actionsAt = (socket: Socket) =>
    socket.ofType("mod.action").map(({ data }) => (data as { id: string }).id);
  const waits = { banned: false, timed_out_until: null, slow_ms: null };

  it("receives its new role at every open socket, and moderators' events for as long as it is one", async () => {
    const stream = await world.channel();
    const [person, other] = [talker(), talker()];
    const [own, others] = [await present(stream, person), await present(stream, other)];
    const role = (name: "moderator" | null): RoomStateChange => ({
      kind: "role",
      userId: person.userId,
      role: name,
    });

    const promoted = await act(stream, person, role("moderator"));
    for (const socket of own) await eventually(() => actionsAt(socket).includes(promoted));
    const demoted = await act(stream, person, role(null));
    await eventually(() => own.every((socket) => standings(socket).length === 2));
    const later = await act(stream, other, { kind: "ban", userId: other.userId, untilMs: null });
    await eventually(() => others.every((socket) => standings(socket).length === 1));

    for (const socket of own) {
      expect(standings(socket)).deep.equal([
        { role: "moderator", waits },
        { role: null, waits },
      ]);
      expect(actionsAt(socket)).deep.equal([promoted]).not.include(demoted).not.include(later);
    }
    for (const socket of [...own, ...others]) expect(socket.problems).deep.equal([]);
    for (const socket of others) expect(actionsAt(socket)).deep.equal([]);
  });

  it("receives a timeout and its end, and nobody else does", async () => {
    const stream = await world.channel();
    const [person, other] = [talker(), talker()];
    const [own, others] = [await present(stream, person), await present(stream, other)];
    const untilMs = Date.now() + 600_000;

    await act(stream, person, { kind: "ban", userId: person.userId, untilMs });
    await act(stream, person, { kind: "unban", userId: person.userId });
    await eventually(() => own.every((socket) => standings(socket).length === 2));

    for (const socket of own) {
      expect(standings(socket).at(-1)).deep.equal({ role: null, waits });
      expect(socket.problems).deep.equal([]);
    }
    for (const socket of others) expect(standings(socket)).deep.equal([]);
  });
});
