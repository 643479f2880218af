import { expect } from "chai";
import { movableClock } from "../../../support/clock.ts";
import { givenChannels, withKey } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("A rotated stream key", () => {
  const { world } = setUpWorld({ clock: movableClock() });

  /** MongoDB refuses documents that don't fit. */
  const require = (collection: string, validator: object) =>
    world.core.mongo.db.command({ collMod: collection, validator });

  it("holds together with the end of the broadcast, or not at all", async () => {
    const given = givenChannels(world);
    const channel = await given.liveChannel();
    const { owner, stream, at } = channel;

    await require("broadcasts", { endReason: { $ne: "key_rotated" } });
    const refused = await owner.api.call("rotateStreamKey");
    await require("broadcasts", {});

    expect(refused.status).least(500);
    const still = await owner.api.ok("getMyStream");
    expect(still).deep.include({ stream_key: stream.stream_key, is_live: true });

    const rotated = withKey(await owner.api.ok("rotateStreamKey"));
    expect(rotated.stream_key).not.equal(stream.stream_key);
    expect(rotated.is_live).equal(false);
    expect((await owner.api.ok("getStream", { params: at })).is_live).equal(false);
    expect((await given.hook("publish", { key: stream.stream_key })).status).equal(403);
    expect((await given.hook("publish", { key: rotated.stream_key })).status).equal(200);
  });

  it("refuses the old one also to a publisher of that moment, and lets the new one in", async () => {
    const given = givenChannels(world);
    for (let round = 0; round < 10; round++) {
      const { owner, stream } = await given.channel();
      const [rotated] = await Promise.all([
        owner.api.ok("rotateStreamKey"),
        given.hook("publish", { key: stream.stream_key, clientId: "1" }),
      ]);
      const { stream_key: key } = withKey(rotated);
      expect((await given.hook("publish", { key, clientId: "2" })).status).equal(200);
      expect((await given.hook("publish", { key: stream.stream_key, clientId: "1" })).status).equal(403);
    }
  });
});
