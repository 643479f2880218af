import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { type GatewayWorld, openGatewayWorld, Socket } from "./world.ts";

describe("a gateway with as many sockets as its open files allow", () => {
  let world: GatewayWorld;
  before(async () => {
    world = await openGatewayWorld();
  });
  after(() => world.close());

  it("refuses upgrades with 503, also of one burst, until a socket closes", async () => {
    const gateway = await world.gateway({ maxSockets: 3 });
    const connect = () => new Socket(`ws://127.0.0.1:${gateway.port}/v1/ws`);
    const isAnswered = (socket: Socket) => socket.messages.length > 0 || socket.refused !== null;
    const burst = Array.from({ length: 8 }, connect);
    await eventually(() => burst.every(isAnswered));

    const refused = burst.filter((socket) => socket.refused !== null);
    expect(refused.map((socket) => socket.refused?.status)).deep.equal([503, 503, 503, 503, 503]);

    burst.find((socket) => socket.refused === null)?.terminate();
    await eventually(async () => {
      const next = connect();
      await eventually(() => isAnswered(next));
      const isOpen = next.refused === null;
      next.terminate();
      return isOpen;
    });
    for (const socket of burst) socket.terminate();
    await gateway.stop();
  });
});
