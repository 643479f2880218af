import { type GatewayWorld, openGatewayWorld } from "./world.ts";
describe("zz", () => {
  let world: GatewayWorld;
  before(async () => { world = await openGatewayWorld({ log: { ...console, child: () => console } as never }); });
  after(() => world.close());
  it("loops", async () => {
    for (let i = 0; i < 60; i++) {
      const gateway = await world.gateway();
      const stream = await world.channel();
      const socket = world.socket(gateway, `/v1/ws/chat/${stream._id}`);
      socket.ws.on("error", (e) => console.log("WSERR", e)); socket.ws.on("close", (...a) => console.log("CLOSE", i, a[0], String(a[1])));
      try { await socket.next("subscribed"); } catch (err) {
        console.log(i, gateway.port, socket.messages, socket.closed, socket.refused, socket.ws.readyState, gateway.stats()); throw err; }
    }
  }).timeout(100000);
});
