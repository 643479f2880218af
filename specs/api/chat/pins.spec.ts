import { expect } from "chai";
import { Socket } from "../../realtime/gateway/world.ts";
import type { Success } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("pinned messages", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  let author: Person;
  let moderator: Person;
  let staff: Person;
  let message: Success<"sendChatMessage">;
  const sockets: Socket[] = [];

  const say = async (content: string, by = author) => {
    clock.move(2_000);
    const sent = await by.api.ok("sendChatMessage", { params: channel.at, body: { content } });
    if (!("uuid" in sent)) throw new Error("nothing holds it");
    return sent;
  };
  const pinned = async () => (await world.api.ok("getChatRoom", { params: channel.at })).pinned;
  const pin = (uuid: string, more: { duration_seconds?: number } = {}) =>
    moderator.api.ok("pinChatMessage", { params: channel.at, body: { uuid, ...more } });
  const user = () => ({ ...channel.at, user_id: author.id });

  async function follow(person: Person) {
    const { ticket } = await person.api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws/chat/${channel.at.stream_id}?ticket=${ticket}`);
    sockets.push(socket);
    await socket.next("subscribed");
    return socket;
  }

  before(async () => {
    staff = await givenStaff(world, given).staff();
  });
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

  it("enter staff's log with moderator and author, and not the channel's own log", async () => {
    const socket = await follow(moderator);
    await pin(message.uuid);
    await moderator.api.ok("unpinChatMessage", { params: channel.at });
    await socket.next("chat.unpinned");

    const { items } = await staff.api.ok("listAllModerationActions", { params: channel.at });
    expect(items.map(({ action, actor, target }) => [action, actor.id, target?.id])).deep.equal([
      ["message_unpinned", moderator.id, undefined],
      ["message_pinned", moderator.id, author.id],
      ["mod", channel.owner.id, moderator.id],
    ]);
    const own = await channel.owner.api.ok("listModerationActions", { params: channel.at });
    expect(own.items.map(({ action }) => action)).deep.equal(["mod"]);
    expect(socket.ofType("mod.action")).deep.equal([]);
  });

  for (const [what, end] of Object.entries({
    "their time": () => Promise.resolve(clock.move(60_000)),
    "their message's deletion": () =>
      author.api.ok("deleteChatMessage", { params: { ...channel.at, uuid: message.uuid } }),
    "their author's ban": () => moderator.api.ok("banUser", { params: user() }),
  }))
    it(`publish and log nothing when removed after ${what}`, async () => {
      const socket = await follow(moderator);
      await pin(message.uuid, { duration_seconds: 60 });
      await end();
      await eventually(async () => expect(await pinned()).equal(null));

      await moderator.api.ok("unpinChatMessage", { params: channel.at });

      const next = await pin((await say("after it", moderator)).uuid);
      await eventually(() => socket.ofType("chat.pinned").length === 2);
      expect(socket.ofType("chat.pinned")[1]?.data).include({ uuid: next.message.uuid });
      expect(socket.ofType("chat.unpinned")).deep.equal([]);
      const query = { action: "message_unpinned" } as const;
      const log = await staff.api.ok("listAllModerationActions", { params: channel.at, query });
      expect(log.items).deep.equal([]);
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
