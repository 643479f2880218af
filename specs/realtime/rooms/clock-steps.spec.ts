import { expect } from "chai";
import { MINUTE_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import type { ChatModesDoc } from "../../../store/mongo/host/chat-modes.ts";
import { codeOf, openRoomsWorld, type RoomsWorld, talker } from "./world.ts";

describe("A clock that steps back by ten minutes", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  const stepBack = () => world.advance(-10 * MINUTE_MS);

  /** A room and somebody in it. */
  async function joined(modes: Partial<ChatModesDoc> = {}) {
    const stream = await world.channel(modes);
    const sender = talker();
    const send = (content: string, by = sender) =>
      world.rooms.send({ streamId: stream._id, sender: by, content });
    return { stream, sender, send };
  }

  it("silences nobody who has just spoken, and the limits go on from there", async () => {
    const { send } = await joined();
    for (let i = 0; i < 20; i++) {
      await send(`message ${i}`);
      world.advance(1_000);
    }
    expect(await send("one too many")).nested.include({ "details.limit": 20 });
    stepBack();

    expect(codeOf(await send("message 19"))).equal("admitted");
    expect(await send("soon after")).deep.include({
      code: "rate_limited",
      details: { retry_after_ms: 1_000, bucket: "chat", limit: 1, window_seconds: 1 },
    });
    world.advance(1_000);
    expect(await send("message 19")).deep.include({
      code: "duplicate_message",
      details: { retry_after_ms: 29_000 },
    });
  });

  it("makes nobody wait longer in slow mode than that says", async () => {
    const { send } = await joined({ slow: true, slowSeconds: 30 });
    await send("before");
    stepBack();

    expect(codeOf(await send("after"))).equal("admitted");
    world.advance(1_000);
    expect(await send("soon after")).nested.include({ code: "slow_mode", "details.retry_after_ms": 29_000 });
  });

  it("refuses no text in unique chat for longer than ten minutes", async () => {
    const { send } = await joined({ uniqueChat: true });
    await send("the same");
    stepBack();

    expect(codeOf(await send("the same", talker()))).equal("admitted");
    world.advance(MINUTE_MS);
    expect(await send("the same", talker())).deep.include({
      code: "duplicate_message",
      details: { retry_after_ms: 9 * MINUTE_MS },
    });
  });

  it("makes followers wait no longer than the room asks for", async () => {
    const [atOnce, later] = [
      await joined({ followersOnly: true, followersMinutes: 0 }),
      await joined({ followersOnly: true, followersMinutes: 10 }),
    ];
    for (const { stream, sender } of [atOnce, later]) {
      await world.follow({
        id: newId(),
        followerId: sender.userId,
        followingId: stream.userId,
        createdAt: new Date(world.clock.now()),
      });
    }
    stepBack();

    expect(codeOf(await atOnce.send("hi"))).equal("admitted");
    expect(await later.send("hi")).nested.include({
      code: "followers_only",
      "details.retry_after_ms": 10 * MINUTE_MS,
    });
  });

  it("counts viewers who have left for a minute more, and those who are there all the time", async () => {
    const streamId = newId();
    const [here, left] = [newId(), newId()];
    const beat = async (userId: string) =>
      (await world.presence.heartbeat({ streamId, viewer: { userId } })).viewerCount;
    await beat(here);
    await beat(left);
    stepBack();

    expect(await beat(here)).equal(2);
    expect(await world.presence.count(streamId)).equal(2);
    world.advance(MINUTE_MS);
    expect(await beat(here)).equal(1);
    expect(await world.presence.count(streamId)).equal(1);
  });

  it("leaves nobody counted in a room that all have left", async () => {
    const streamId = newId();
    await world.presence.heartbeat({ streamId, viewer: { userId: newId() } });
    stepBack();

    expect(await world.presence.count(streamId)).equal(0);
    expect(await world.presence.countEach([streamId])).deep.equal(new Map([[streamId, 0]]));
  });

  it("leaves the place that devices of an address had to others after a minute", async () => {
    const streamId = newId();
    const beat = async (deviceId: string) => {
      await world.presence.heartbeat({ streamId, viewer: { deviceId, ip: "10.0.0.9" } });
      return world.presence.count(streamId);
    };
    for (let i = 0; i < 50; i++) await beat(`left ${i}`);
    stepBack();

    expect(await beat("new")).equal(50);
    world.advance(MINUTE_MS);
    expect(await beat("new")).equal(1);
  });
});
