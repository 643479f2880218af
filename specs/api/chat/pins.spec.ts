import { expect } from "chai";
import { Socket } from "../../gateway/world.ts";
import type { Success } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("pinned messages", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  let author: Person;
  let moderator: Person;
  let message: Success<"sendChatMessage">;
  const sockets: Socket[] = [];

  const say = async (content: string) => {
    clock.move(2_000);
    const sent = await author.api.ok("sendChatMessage", { params: channel.at, body: { content } });
    if (!("uuid" in sent)) throw new Error("nothing holds it");
    return sent;
  };
  const pinned = async () => (await world.api.ok("getChatRoom", { params: channel.at })).pinned;
  const pin = (uuid: string, more: { duration_seconds?: number } = {}) =>
    moderator.api.ok("pinChatMessage", { params: channel.at, body: { uuid, ...more } });
  const user = () => ({ ...channel.at, user_id: author.id });

  beforeEach(async () => {
    channel = await given.channel();
    [author, moderator] = [await given.user(), await given.moderatorOf(channel)];
    message = await say("the rules are on my page");
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  it("are shown with the room, and announced to its sockets without their text", async () => {
    const socket = new Socket(`${world.socketUrl}/v1/ws/chat/${channel.at.stream_id}`);
    sockets.push(socket);
    await socket.next("subscribed");
    expect(await pinned()).equal(null);

    const first = await pin(message.uuid, { duration_seconds: 60 });

    expect(first.message).deep.equal(message);
    expect(await pinned()).deep.equal(first);
    expect(Date.parse(first.expires_at ?? "") - Date.parse(first.pinned_at)).equal(60_000);
    const { pinned_at, expires_at } = first;
    expect((await socket.next("chat.pinned")).data).deep.equal({
      uuid: message.uuid,
      pinned_at,
      expires_at,
    });
    const other = await say("another");
    const { expires_at: never } = await pin(other.uuid);
    expect(never).equal(null);
    expect((await pinned())?.message.uuid).equal(other.uuid);

    for (let n = 0; n < 2; n++) await moderator.api.ok("unpinChatMessage", { params: channel.at });
    expect(await pinned()).equal(null);
    expect((await socket.next("chat.unpinned")).data).deep.equal({ uuid: other.uuid });
    await author.api.ok("deleteChatMessage", { params: { ...channel.at, uuid: other.uuid } });
    await socket.next("chat.message_deleted");
    expect(socket.ofType("chat.unpinned")).length(1);
  });

  it("end at their time", async () => {
    await pin(message.uuid, { duration_seconds: 60 });
    clock.move(59_000);
    expect((await pinned())?.message.uuid).equal(message.uuid);
    clock.move(1_000);
    expect(await pinned()).equal(null);
  });

  for (const [what, end] of Object.entries({
    "is deleted": () => author.api.ok("deleteChatMessage", { params: { ...channel.at, uuid: message.uuid } }),
    "is cleared": () => channel.owner.api.ok("clearChat", { params: channel.at }),
    "is hidden by a ban": () => moderator.api.ok("banUser", { params: user() }),
  }))
    it(`aren't shown once their message ${what}, nor pinned then`, async () => {
      await pin(message.uuid);
      await end();
      await eventually(async () => expect(await pinned()).equal(null));
      const again = { params: channel.at, body: { uuid: message.uuid } };
      expect((await moderator.api.call("pinChatMessage", again)).code).equal("not_found");
    });

  it("are of the room itself, and for moderators alone to choose", async () => {
    const elsewhere = await given.channel();
    const call = (api: Person["api"], { at }: Channel) =>
      api.call("pinChatMessage", { params: at, body: { uuid: message.uuid } });
    expect((await call(elsewhere.owner.api, elsewhere)).code).equal("not_found");
    expect((await call(author.api, channel)).code).equal("forbidden");
    expect((await author.api.call("unpinChatMessage", { params: channel.at })).code).equal("forbidden");
  });
});
