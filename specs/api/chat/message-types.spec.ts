import { expect } from "chai";
import { actionIn } from "../../../realtime/rooms/text.ts";
import { chatMessagesCollection } from "../../../store/mongo/chat/chat-messages.ts";
import { keys } from "../../../store/redis/keys.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import type { CallOptions } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("types of chat messages", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  let author: Person;
  /** The author's program. */
  let bot: Person["api"];
  beforeEach(async () => {
    channel = await given.channel();
    author = await given.user();
    const body = { name: "bot", scopes: ["chat:send", "chat:read"] };
    bot = world.api.as(await author.api.ok("createApiToken", { body }));
  });

  /** By each door; what is sent and what comes of it. */
  async function sent(content: string): Promise<[type: string, content: string][]> {
    const answers: unknown[] = [];
    clock.move(31_000);
    answers.push(await author.api.ok("sendChatMessage", { params: channel.at, body: { content } }));
    clock.move(31_000);
    const body = { channel: channel.owner.username, message: content };
    answers.push(await bot.ok("sendBotMessage", { body }));
    clock.move(31_000);
    const { ticket } = await bot.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${ticket}`);
    const { data } = await socket.command("chat.send", { channel: `chat:${channel.at.stream_id}`, content });
    socket.terminate();
    answers.push(Object(data).message);
    return answers.map((message) => [Object(message).type, Object(message).content]);
  }
  const history = async () =>
    (await world.api.ok("listChatMessages", { params: channel.at })).items.map(({ type, content }) => [
      type,
      content,
    ]);
  const announce = (api: Person["api"], body: CallOptions["body"] = { content: "We begin at nine" }) =>
    api.call("announceInChat", { params: channel.at, body });

  it("make /me an action by every door, without the command", async () => {
    const written = ["/me waves", "/ME  waves", " /me waves", "\u200b/me waves", "\u2800/me waves"];
    for (const typed of [...written, "／me waves", "/ｍｅ\u3000waves", "/me\u200b waves", "／\u2060ME waves"])
      expect(await sent(typed), typed).deep.equal(Array(3).fill(["action", "waves"]));
    expect(await sent("tell /me more")).deep.equal(Array(3).fill(["message", "tell /me more"]));
  });

  it("find /me behind and between every character that doesn't show, as commands are found", () => {
    const blank = /[\p{White_Space}\u2800\u{13441}\u{13442}\u{1D159}]/u;
    const hidden = /[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB]/u;
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      const isBlank = blank.test(character);
      const isHidden = hidden.test(character);
      const compare = (text: string, isAction: boolean) => {
        if (actionIn(text) !== (isAction ? "waves" : null)) wrong.push(`${code.toString(16)}: ${text}`);
      };
      compare(`${character}/me waves`, isBlank || isHidden);
      compare(`/me${character}waves`, isBlank);
      compare(`/m${character}e waves`, isHidden);
    }
    expect(wrong).deep.equal([]);
  });

  it("make no action of /me before what doesn't show", async () => {
    clock.move(31_000);
    const body = { content: "/me \u200b\u2060" };
    const answer = await author.api.call("sendChatMessage", { params: channel.at, body });
    expect(Object(answer.body).type).not.equal("action");
  });

  it("check an action by its text: terms of the room apply to what is shown", async () => {
    await channel.owner.api.ok("addBlockedTerm", { params: channel.at, body: { term: "waves" } });
    const refused = await author.api.call("sendChatMessage", {
      params: channel.at,
      body: { content: "/me waves" },
    });
    expect(refused.code).equal("blocked_term");
  });

  it("mark what moderators announce, which viewers can't", async () => {
    const moderator = await given.moderatorOf(channel);
    expect((await announce(author.api)).code).equal("forbidden");
    expect((await announce(moderator.api)).body).include({
      type: "announcement",
      content: "We begin at nine",
      user_id: moderator.id,
    });
    clock.move(2_000);
    const nonce = { content: "Once", nonce: "n1" };
    const uuids = [await announce(channel.owner.api, nonce), await announce(channel.owner.api, nonce)];
    expect(new Set(uuids.map(({ body }) => Object(body).uuid)).size).equal(1);
    const { token } = await moderator.api.ok("createApiToken", {
      body: { name: "bot", scopes: ["chat:send"] },
    });
    expect((await announce(world.api.as({ token }))).code).equal("insufficient_scope");
  });

  it("stay in the history after the archive took the messages over", async () => {
    clock.move(2_000);
    await author.api.ok("sendChatMessage", { params: channel.at, body: { content: "/me waves" } });
    await announce(channel.owner.api);
    const expected = [
      ["action", "waves"],
      ["announcement", "We begin at nine"],
    ];
    expect(await history()).deep.equal(expected);
    const archive = chatMessagesCollection.in(world.core.mongo.db);
    await eventually(async () =>
      expect(await archive.countDocuments({ streamId: channel.at.stream_id })).equal(2),
    );
    await world.core.redis.xtrim(keys.roomLog(channel.at.stream_id), "MAXLEN", 0);
    expect(await history()).deep.equal(expected);
  });
});
