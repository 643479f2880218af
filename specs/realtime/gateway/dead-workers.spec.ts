// @waits: for workers to count as dead.
import { expect } from "chai";
import { keys, type Owner } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { talker } from "../rooms/world.ts";
import { withGateway } from "../wire/gateway-process.ts";
import { type GatewayWorld, openGatewayWorld, Socket } from "./world.ts";

describe("sockets of a worker that isn't there any more", () => {
  let world: GatewayWorld;
  before(async () => {
    world = await openGatewayWorld();
  });
  after(() => world.close());

  const countOf = async (owner: Owner) =>
    (await world.redis.hvals(keys.socketsOf(owner))).map(Number).reduce((sum, count) => sum + count, 0);

  it("don't count any more some seconds after it was killed", async () => {
    const living = await world.gateway();
    const user = talker();
    const here = () => world.socket(living, `/v1/ws?ticket=${world.ticketFor(user)}`);
    await withGateway(
      async () => ({}),
      async ({ port }) => {
        const sockets = [...Array(10)].map(
          () => new Socket(`ws://127.0.0.1:${port}/v1/ws?ticket=${user.userId}`),
        );
        await Promise.all(sockets.map((socket) => socket.next("hello")));
        expect((await here().refusal()).body).nested.include({ "details.bucket": "sockets_per_user" });
        // Killed with its sockets open, as the child is at the end.
      },
    );
    expect(await countOf(`u:${user.userId}`)).equal(10);

    await eventually(
      async () => {
        const socket = here();
        await eventually(() => socket.messages.length > 0 || socket.refused !== null);
        if (socket.refused) throw new Error(JSON.stringify(socket.refused.body));
      },
      { withinMs: 9_000 },
    );

    expect(await countOf(`u:${user.userId}`)).equal(1);
  });

  it("don't count at once when it has left in order", async () => {
    const [leaving, staying] = [await world.gateway(), await world.gateway()];
    const user = talker();
    const sockets = [...Array(10)].map(() => world.socket(leaving, `/v1/ws?ticket=${world.ticketFor(user)}`));
    await Promise.all(sockets.map((socket) => socket.next("hello")));

    await leaving.stop();

    await world.socket(staying, `/v1/ws?ticket=${world.ticketFor(user)}`).next("hello");
  });

  it("are counted again once Redis has lost them, or when it was only taken for dead", async () => {
    const gateway = await world.gateway();
    const users = [...Array(20)].map(talker);
    const owners = users.map(({ userId }): Owner => `u:${userId}`);
    const sockets = users.map((user) => world.socket(gateway, `/v1/ws?ticket=${world.ticketFor(user)}`));
    await Promise.all(sockets.map((socket) => socket.next("hello")));
    const workersOf = (owner: Owner) => world.redis.hkeys(keys.socketsOf(owner));
    const [first = "u:none"] = owners;
    const before = await workersOf(first);

    await world.redis.del(keys.gateways, ...owners.map(keys.socketsOf));

    const counts = () => Promise.all(owners.map(countOf));
    await eventually(async () => (await counts()).every((count) => count === 1), { withinMs: 4_000 });
    expect(await workersOf(first)).not.deep.equal(before);
    expect(await world.redis.ttl(keys.socketsOf(first))).within(3_500, 3_600);
    for (const socket of sockets) socket.ws.close();
    await eventually(async () => (await counts()).every((count) => count === 0));
  });
});
