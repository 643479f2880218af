import { expect } from "chai";
import { shows } from "../../../../contract/coverage/shows.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { movableClock } from "../../../support/clock.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("viewers", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  const countOf = async ({ at }: Channel) =>
    (await world.api.ok("getViewerCount", { params: at })).viewer_count;
  const pointsOf = async (person: Person, { owner }: Channel) =>
    (await person.api.ok("getPoints", { params: { user_id: owner.id } })).balance;

  /** Five minutes by eleven heartbeats, past REST's limit of six a minute, which goes by real time. */
  async function watch(person: Person, { at }: Channel): Promise<void> {
    for (let beat = 0; beat <= 10; beat++) {
      if (beat > 0) world.clock.move(30_000);
      await world.core.watching.heartbeat(at.stream_id, { userId: person.id });
    }
  }

  it("are counted once each: users by account, others by device", async () => {
    const channel = await given.channel();
    const viewer = await given.user();
    const beat = (body: object) => world.api.ok("heartbeat", { body: { ...channel.at, ...body } });

    await beat({ device_id: "tv" });
    await beat({ device_id: "tv" });
    await beat({ device_id: "phone" });
    await viewer.api.ok("heartbeat", { body: { ...channel.at, device_id: "tv" } });
    const last = await viewer.api.ok("heartbeat", { body: { ...channel.at, device_id: "phone" } });

    expect(last.viewer_count).equal(3);
    expect(await countOf(channel)).equal(3);
    expect((await world.api.ok("getStream", { params: channel.at })).realtime_viewer_count).equal(3);
    shows("viewers.by_user", "viewers.by_device");
  });

  it("are gone a minute after their last heartbeat", async () => {
    const channel = await given.channel();
    await world.api.ok("heartbeat", { body: { ...channel.at, device_id: "tv" } });

    expect(await countOf(channel)).equal(1);
    world.clock.move(60_000);

    expect(await countOf(channel)).equal(0);
    shows("viewers.window");
  });

  it("need a device when they aren't signed in, and a stream that exists", async () => {
    const { at } = await given.channel();
    const unknown = { stream_id: crypto.randomUUID(), device_id: "tv" };

    expect((await world.api.call("heartbeat", { body: at })).code).equal("validation_failed");
    shows("viewers.device_needed");
    expect((await world.api.call("heartbeat", { body: unknown })).code).equal("not_found");
    expect((await world.api.call("getViewerCount", { params: { stream_id: unknown.stream_id } })).code).equal(
      "not_found",
    );
  });

  it("earn 10 points for five minutes of a live stream, but not on their own channel", async () => {
    const channel = await given.liveChannel();
    const viewer = await given.user();

    await watch(viewer, channel);
    expect(await pointsOf(viewer, channel)).equal(10);

    await watch(channel.owner, channel);
    expect(await pointsOf(channel.owner, channel)).equal(0);
  });

  it("gives viewers no points once the owner is banned, though the broadcast hasn't ended yet", async () => {
    const channel = await given.liveChannel();
    const viewer = await given.user();
    const users = usersCollection.in(world.core.mongo.db);
    await users.updateOne({ _id: channel.owner.id }, { $set: { status: "banned" } });

    await watch(viewer, channel);

    expect(await pointsOf(viewer, channel)).equal(0);
  });

  it("earn nothing while the stream is offline", async () => {
    const channel = await given.channel();
    const viewer = await given.user();

    await watch(viewer, channel);

    expect(await pointsOf(viewer, channel)).equal(0);
  });
});
