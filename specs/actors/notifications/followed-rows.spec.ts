import { expect } from "chai";
import { createOutbox, type RoomEvent } from "../../../actors/host/outbox.ts";
import { DAY_MS, HOUR_MS } from "../../../base/durations.ts";
import { unavailable } from "../../../contract/errors.ts";
import { followerFact, notificationsOf, setUpFacts } from "./given-facts.ts";

describe("channel.followed of many rooms", () => {
  const { world, given } = setUpFacts();

  /** A follow of a new channel by a new user, `ageMs` ago; the id of the room. */
  async function followed(ageMs = 0): Promise<string> {
    const [stream, followerId] = [await world.stream(), await world.user()];
    const at = new Date(world.clock.now() - ageMs);
    const { data, ...fact } = followerFact(stream.userId, at);
    await given.happen({ ...fact, kind: "follower", data: { followerId } });
    return stream._id;
  }
  /** Publishes to all rooms but `unreachable`; which rooms were told of a follower. */
  async function toldBut(unreachable: string | null): Promise<string[]> {
    const { mongo, clock, log } = world.deps;
    const told: string[] = [];
    const outbox = createOutbox({
      mongo,
      clock,
      log,
      async publishRoom({ streamId, type }: RoomEvent) {
        if (streamId === unreachable) throw unavailable();
        if (type === "channel.followed") told.push(streamId);
      },
      publishUsers: async () => undefined,
    });
    const rooms = { connections: { mayHaveSockets: async () => true } };
    await notificationsOf({ mongo, outbox, clock, rooms }).fanOut();
    return told;
  }

  it("reaches every other room of a batch while one of them can't be reached", async () => {
    const [one, unreachable, ...others] = [
      await followed(),
      await followed(),
      await followed(),
      await followed(),
    ];
    expect(await toldBut(unreachable ?? null)).members([one, ...others]);
  });

  it("tells of no follow that is older than what push and mail tell of", async () => {
    await followed(DAY_MS + HOUR_MS);
    const recent = await followed(DAY_MS - HOUR_MS);
    expect(await toldBut(null)).deep.equal([recent]);
  });
});
