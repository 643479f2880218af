import { expect } from "chai";
import { BROADCAST_GRACE_MS, FIRST_PICTURE_MS } from "../../../../actors/live/live-stream/machine.ts";
import type { StreamIngest } from "../../../../contract/wire.ts";
import { streamsCollection } from "../../../../store/mongo/channels/streams.ts";
import { Socket } from "../../../realtime/gateway/world.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("the ingest state of a stream", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  /** What a user hears of it by their own topic. */
  async function follow({ api }: Person): Promise<() => StreamIngest[]> {
    const { ticket } = await api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws/user?ticket=${ticket}`);
    sockets.push(socket);
    await socket.next("subscribed");
    return () =>
      socket
        .ofType("stream.ingest")
        .map(({ data }) => (data as { stream_id: string; ingest: StreamIngest }).ingest);
  }
  const stateOf = async ({ owner }: Channel) => (await owner.api.ok("getMyStream")).ingest;

  it("tells the owner each step of a broadcast, as the stream has it from then on", async () => {
    const channel = await given.channel();
    const key = channel.stream.stream_key;
    const heard = await follow(channel.owner);
    expect(await stateOf(channel)).deep.equal({
      status: "offline",
      since: null,
      live_since: null,
      ends_at: null,
    });

    await given.hook("publish", { key });
    await eventually(() => expect(heard()).length(1));
    expect(await stateOf(channel))
      .deep.equal(heard()[0])
      .include({ status: "starting", live_since: null });
    world.clock.move(FIRST_PICTURE_MS);
    await eventually(() => expect(heard()).length(2));
    const live = await stateOf(channel);
    expect(live).deep.equal(heard()[1]).include({ status: "live", live_since: live.since, ends_at: null });
    await given.hook("publish_done", { key });
    await eventually(() => expect(heard()).length(3));
    const away = await stateOf(channel);
    expect(away).deep.equal(heard()[2]).include({ status: "interrupted", live_since: live.since });
    expect(Date.parse(away.ends_at ?? "") - Date.parse(away.since ?? "")).equal(BROADCAST_GRACE_MS);
    world.clock.move(BROADCAST_GRACE_MS);
    await eventually(() => expect(heard()).length(4));
    expect(await stateOf(channel))
      .deep.equal(heard()[3])
      .include({ status: "offline", live_since: null });
  });

  it("tells nobody but the owner", async () => {
    const channel = await given.channel();
    const heard = await follow(await given.moderatorOf(channel));
    const own = await follow(channel.owner);
    await given.hook("publish", { key: channel.stream.stream_key });
    await eventually(() => expect(own()).length(1));
    expect(heard()).deep.equal([]);
  });

  it("is known of a broadcast that began with an older release", async () => {
    const channel = await given.liveChannel();
    const streams = streamsCollection.in(world.core.mongo.db);
    await streams.updateOne({ _id: channel.stream.id }, { $unset: { ingest: 1 } });
    const { status, live_since } = await stateOf(channel);
    expect(status).equal("live");
    expect(live_since).a("string");
  });
});
