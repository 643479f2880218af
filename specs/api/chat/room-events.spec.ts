// @waits: for presence to run out.

import { expect } from "chai";
import { BROADCAST_GRACE_MS } from "../../../actors/live/live-stream/machine.ts";
import { shows } from "../../../contract/coverage/shows.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("sockets on the public port", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  async function open(path: string): Promise<Socket> {
    const socket = new Socket(`${world.socketUrl}/v1/ws/${path}`);
    sockets.push(socket);
    await socket.next("subscribed");
    return socket;
  }

  it("receive what is sent and set by REST, and are counted", async () => {
    const { owner, at } = await given.channel();
    const viewer = await given.user();
    const socket = await open(`chat/${at.stream_id}`);
    const set = (emote_only: boolean) =>
      owner.api.ok("updateChatSettings", { params: at, body: { emote_only } });

    const sent = await viewer.api.ok("sendChatMessage", { params: at, body: { content: "hello" } });
    expect((await socket.next("chat.message")).data).deep.equal(sent);
    shows("chat.live");

    // The worker says now and then how many sockets its rooms have.
    let isOn = false;
    await eventually(
      async () => {
        isOn = !isOn;
        return (await set(isOn)).connections === 1;
      },
      { withinMs: 15_000, what: "the room has one socket" },
    );
    expect((await socket.next("chat.modes")).data).include({ emote_only: true });
    expect(socket.problems).deep.equal([]);
    shows("chat.settings_published", "chat.connections");
  });

  it("receive what moderators do to messages and people, as everybody does", async () => {
    const { owner, at } = await given.channel();
    const [banned, timedOut] = [await given.user(), await given.user()];
    const socket = await open(`chat/${at.stream_id}`);
    const { uuid } = await timedOut.api.ok("sendChatMessage", { params: at, body: { content: "hello" } });

    await owner.api.ok("deleteChatMessage", { params: { ...at, uuid } });
    const shortly = { duration_seconds: 60 };
    await owner.api.ok("timeoutUser", { params: { ...at, user_id: timedOut.id }, body: shortly });
    await owner.api.ok("banUser", { params: { ...at, user_id: banned.id } });
    await owner.api.ok("clearChat", { params: at });

    await socket.next("chat.cleared");
    const acts = socket.messages.filter(({ type }) => /^chat\.(message_deleted|user_|cleared)/.test(type));
    expect(acts.map(({ type, data }) => [type, data])).deep.equal([
      ["chat.message_deleted", { uuid }],
      ["chat.user_timed_out", { user_id: timedOut.id, username: timedOut.username, ...shortly }],
      ["chat.user_banned", { user_id: banned.id, username: banned.username }],
      ["chat.cleared", {}],
    ]);
    expect(acts.map(({ seq }) => seq)).deep.equal([2, 3, 4, 5]);
    expect(socket.problems).deep.equal([]);
  });

  it("receive the beginning and the end of a broadcast, and how many watch", async () => {
    const channel = await given.channel();
    const { at, stream } = channel;
    const socket = await open(`viewers/${at.stream_id}`);

    await given.goLive(channel);
    await socket.next("stream.live");
    await world.api.ok("heartbeat", { body: { ...at, device_id: "tv" } });
    await eventually(
      () => socket.ofType("viewers.count").some(({ data }) => Object(data).viewer_count === 1),
      {
        withinMs: 15_000,
      },
    );
    await given.hook("publish_done", { key: stream.stream_key });
    world.clock.move(BROADCAST_GRACE_MS);

    await socket.next("stream.offline");
    expect(socket.problems).deep.equal([]);
  });
});
