import { expect } from "chai";
import { FIRST_PICTURE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { givenStaff } from "../../../support/given-staff.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("ending a broadcast", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  it("takes the channel offline at once, without a grace period", async () => {
    const { owner, at } = await given.liveChannel();

    expect(await owner.api.ok("endBroadcast", { params: at })).include({ id: at.stream_id, is_live: false });

    const { items } = await owner.api.ok("getStreamHistory", { params: at });
    expect(items.at(-1)).include({ event: "end", from: "live", to: "offline" });
  });

  it("ends a broadcast in its grace, and one before its first picture", async () => {
    const [interrupted, starting] = [await given.liveChannel(), await given.channel()];
    await given.hook("publish_done", { key: interrupted.stream.stream_key });
    await given.hook("publish", { key: starting.stream.stream_key });

    for (const { owner, at } of [interrupted, starting]) {
      await owner.api.ok("endBroadcast", { params: at });
      world.clock.move(FIRST_PICTURE_MS);
      await world.jobs.timers.tick();
      expect((await owner.api.ok("getStreamHistory", { params: at })).items.at(-1)).include({ event: "end" });
    }
  });

  it("begins a new broadcast when the encoder connects again", async () => {
    const channel = await given.liveChannel();
    const { owner, at } = channel;
    const { sessionId } = await world.core.channels.require(at.stream_id);
    await owner.api.ok("endBroadcast", { params: at });

    await given.goLive(channel, "2");

    expect((await world.core.channels.require(at.stream_id)).sessionId).not.equal(sessionId);
  });

  it("changes nothing without a broadcast", async () => {
    const { owner, at } = await given.channel();

    expect(await owner.api.ok("endBroadcast", { params: at })).include({ is_live: false });
    expect(await owner.api.ok("endBroadcast", { params: at })).include({ is_live: false });
  });

  it("refuses viewers and moderators", async () => {
    const channel = await given.liveChannel();

    for (const person of [await given.user(), await given.moderatorOf(channel)])
      expect((await person.api.call("endBroadcast", { params: channel.at })).code).equal("forbidden");
  });

  it("writes an audit line when staff end the broadcast of another channel", async () => {
    const { owner, at } = await given.liveChannel();
    const staff = await givenStaff(world, given).staff();

    await staff.api.ok("endBroadcast", { params: at });

    await eventually(async () => !(await owner.api.ok("getStream", { params: at })).is_live);
    const acts = world.auditedOf("staff.acted", staff.id).map(({ operation, ids }) => [operation, ids]);
    expect(acts).deep.equal([["endBroadcast", `stream_id=${at.stream_id}`]]);
  });
});
