import { expect } from "chai";
import { unavailable } from "../../../contract/errors.ts";
import { keys } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { chatter, type GatewayWorld, openGatewayWorld, textsIn } from "../gateway/world.ts";

describe("A room whose log can't be read for a moment", () => {
  let world: GatewayWorld;
  let isUnavailable = false;
  let refused = 0;
  before(async () => {
    world = await openGatewayWorld();
  });
  after(() => world.close());

  /** Rooms whose logs are unavailable whenever `isUnavailable` says so. */
  function unreliable() {
    const { log } = world.rooms;
    const after: typeof log.after = async (...args) => {
      if (!isUnavailable) return log.after(...args);
      refused += 1;
      throw unavailable();
    };
    return { ...world.rooms, log: { ...log, after } };
  }

  it("is read again until that succeeds, though no more messages come", async () => {
    const stream = await world.channel();
    const gateway = await world.gateway({ rooms: unreliable() });
    const client = world.client({ url: `ws://127.0.0.1:${gateway.port}`, streamId: stream._id });
    await eventually(() => client.isLive);
    await chatter(world, stream, ["before"]);
    await eventually(() => textsIn(client.seen).length === 1);

    // As after a failover: numbers begin anew, which no worker believes without a look at the log.
    await world.redis.hset(keys.roomState(stream._id), "run", "another");
    isUnavailable = true;
    await chatter(world, stream, ["meanwhile"]);
    await eventually(() => refused > 1);
    expect(textsIn(client.seen)).deep.equal(["before"]);
    isUnavailable = false;

    await eventually(() => textsIn(client.seen).length === 2);
    expect(textsIn(client.seen)).deep.equal(["before", "meanwhile"]);
  });
});
