import { expect } from "chai";
import { keys } from "../../../store/redis/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { chatter, type GatewayWorld, openGatewayWorld, textsIn } from "../gateway/world.ts";

/** What is the same for all who join is kept for a moment. */
const VIEW_IS_OLD_MS = 100;

describe("A client that comes back in the very moment in which Redis forgets everything", () => {
  let world: GatewayWorld;
  let whileComingBack: () => Promise<void> = async () => undefined;
  before(async () => {
    world = await openGatewayWorld();
  });
  after(() => world.close());

  it("is notified that something may be missing, though it was found to have missed nothing", async () => {
    const stream = await world.channel();
    const standing: typeof world.rooms.memberState = async (...args) => {
      const found = await world.rooms.memberState(...args);
      await whileComingBack();
      return found;
    };
    const gateway = await world.gateway({ rooms: { ...world.rooms, memberState: standing } });
    const url = `ws://127.0.0.1:${gateway.port}`;
    const stays = world.client({ url, streamId: stream._id });
    await eventually(() => stays.isLive);
    const joinedAt = performance.now();
    await chatter(world, stream, ["old"]);
    await eventually(() => textsIn(stays.seen).length === 1 && performance.now() > joinedAt + VIEW_IS_OLD_MS);

    whileComingBack = async () => {
      whileComingBack = async () => undefined;
      await world.redis.del(keys.roomState(stream._id), keys.roomLog(stream._id));
      await chatter(world, stream, ["new"]);
      await eventually(() => textsIn(stays.seen).length === 2);
    };
    const returns = world.client({ url, streamId: stream._id, after: stays.position ?? "" });
    await eventually(() => textsIn(returns.seen).length === 1);

    const notices = returns.seen.filter(({ type }) => type === "subscribed" || type === "room.epoch");
    expect(notices.map(({ type, data }) => [type, data])).deep.include.members([
      ["room.epoch", { epoch: Number(returns.position?.split(":")[0]), continuous: false }],
    ]);
    expect(textsIn(returns.seen)).deep.equal(["new"]);
  });
});
