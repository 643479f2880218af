import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { talker } from "../rooms/world.ts";
import { type GatewayProcess, type GatewayRooms, withGateway } from "../wire/gateway-process.ts";
import { RoomReader } from "../wire/room-reader.ts";
import { WireSocket } from "../wire/wire-socket.ts";

/** Far more than a socket may send. */
const FLOOD = 20_000;
/** What may be answered before such a socket is ended: its burst, and refusals of twice as much. */
const ANSWERS = 200;

describe("A socket that floods and doesn't read", function () {
  this.timeout(60_000);

  /** Beside it, somebody reads a room as if nothing were. */
  async function flooded(flood: (socket: WireSocket) => void) {
    return withGateway(
      async () => ({}),
      async (gateway: GatewayProcess, world: GatewayRooms) => {
        const stream = await world.channel();
        const reader = new RoomReader({ port: gateway.port, streamId: stream._id });
        await eventually(() => reader.isSubscribed);
        const before = await gateway.look();
        const types: string[] = [];
        const socket = new WireSocket({
          port: gateway.port,
          path: "/v1/ws?ticket=01a1ff91-51d8-72fd-93f4-e9422bef5d7a",
          onFrame: (payload) => {
            for (const { type } of JSON.parse(payload.toString())) types.push(type);
          },
        });
        await socket.upgraded;
        await eventually(() => types.includes("hello"));
        socket.pause();

        flood(socket);
        await eventually(async () => (await gateway.look()).stats.sockets === 1, { what: "it was ended" });
        socket.resume();
        const closing = await socket.closed;

        const { seq } = await world.say(stream, talker(), "still here");
        await eventually(() => reader.seq === seq);
        const after = await gateway.look();
        reader.socket.cut();
        return { closing, types, grewMiB: (after.usage.rss - before.usage.rss) / 1024 / 1024 };
      },
    );
  }

  it("with commands is refused, then ended with 4029, for little memory", async () => {
    const { closing, types, grewMiB } = await flooded((socket) => {
      for (let id = 0; id < FLOOD; id++) socket.send({ id, method: "ping" });
    });

    expect(closing).deep.equal({ code: 4029, reason: "rate_limited" });
    expect(types.length).within(60, ANSWERS);
    expect(grewMiB).below(16);
  });

  it("with what isn't a command is ended with 4400", async () => {
    const { closing, types } = await flooded((socket) => {
      for (let i = 0; i < FLOOD; i++) socket.sendMalformed("{nonsense");
    });

    expect(closing).deep.equal({ code: 4400, reason: "bad_request" });
    expect(types.filter((type) => type === "error").length).within(19, 20);
  });
});
