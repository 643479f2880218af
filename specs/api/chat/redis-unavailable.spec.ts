import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { image } from "../../support/images.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("moderation while Redis is unavailable", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  it("is saved, says what is still missing, and is in force once Redis is back", async () => {
    const { owner, at } = await given.channel();
    const viewer = await given.user();
    const say = () => viewer.api.call("sendChatMessage", { params: at, body: { content: "hello" } });
    expect((await say()).status).equal(201);

    world.core.redis.disconnect();
    const settings = await owner.api.ok("updateChatSettings", { params: at, body: { slow: 30 } });
    const ban = await owner.api.call("banUser", { params: { ...at, user_id: viewer.id } });
    const chat = await say();
    const stream = await world.api.ok("getStream", { params: at });
    const chatters = await owner.api.call("listChatters", { params: at });

    expect(chatters).include({ status: 503, code: "unavailable" });
    expect(settings).include({
      success: true,
      saved_to_db: true,
      saved_to_redis: false,
      broadcast_sent: false,
      connections: 0,
    });
    expect(ban).include({ status: 503, code: "unavailable" });
    expect(chat).include({ status: 503, code: "unavailable" });
    expect(stream).include({ chat_slow_mode: true, realtime_viewer_count: 0 });

    await world.core.redis.connect();
    // Repeating what was answered with 503 is how a client makes sure of it.
    await owner.api.ok("banUser", { params: { ...at, user_id: viewer.id } });
    await eventually(async () =>
      expect((await world.core.rooms.memberState(at.stream_id, null)).modes.slow).equal(30),
    );
    world.clock.move(2_000);
    expect((await say()).code).equal("banned");
  });

  it("makes one badge of a request that is repeated under its key once Redis is back", async () => {
    const { owner, at } = await given.channel();
    const { body, headers } = await image();
    const add = async (name = "Founder") =>
      owner.api.call("addChannelBadge", {
        params: at,
        query: { name },
        body,
        headers: { ...headers, "idempotency-key": "of-this-badge" },
      });
    world.core.redis.disconnect();
    const first = await add();
    await world.core.redis.connect();

    expect(first).include({ status: 503, code: "unavailable" });
    const again = await add();
    expect(again.status).equal(201);
    expect((await owner.api.ok("listChannelBadges", { params: at })).items).deep.equal([again.body]);
    expect((await add("Another")).code).equal("idempotency_conflict");
  });

  it("stores a change of emotes, says that the room wasn't notified, and holds it once Redis is back", async () => {
    const { owner, at } = await given.channel();
    const viewer = await given.user();
    const add = async (name: string) =>
      owner.api.call("addChannelEmote", { params: at, query: { name }, ...(await image()) });
    const emotesOf = async (content: string) => {
      world.clock.move(2_000);
      const { emotes } = await viewer.api.ok("sendChatMessage", { params: at, body: { content } });
      return emotes?.map(({ name }) => name);
    };
    expect((await add("First")).status).equal(201);
    expect(await emotesOf("First Second")).deep.equal(["First"]);

    world.core.redis.disconnect();
    const added = await add("Second");
    await world.core.redis.connect();

    expect(added).include({ status: 503, code: "unavailable" });
    expect((await owner.api.ok("listChannelEmotes", { params: at })).items).length(2);
    await eventually(async () =>
      expect(await emotesOf(`First Second ${world.clock.now()}`)).deep.equal(["First", "Second"]),
    );
  });
});
