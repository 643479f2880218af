import { expect } from "chai";
import { inTransaction } from "../../../../store/mongo/driver/transaction.ts";
import { Socket } from "../../../realtime/gateway/world.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { givenStaff } from "../../../support/given-staff.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("chat messages of redemptions", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  let channel: Channel;
  let viewer: Person;
  let rewardId: string;
  beforeEach(async () => {
    channel = await given.channel();
    viewer = await given.followerOf(channel);
    const body = { title: "Play a song", cost: 10, requires_input: true };
    rewardId = (await channel.owner.api.ok("createReward", { body })).id;
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  const request = (user_input: string, reward_id = rewardId) => ({
    params: { reward_id },
    body: { user_input },
  });
  const redeem = (text: string) => viewer.api.ok("redeemReward", request(text));
  const messages = async () =>
    (await world.api.ok("listChatMessages", { params: channel.at })).items.filter(({ act }) => act);
  const shown = (count: number) =>
    eventually(
      async () => {
        const found = await messages();
        expect(found).length(count);
        return found;
      },
      { what: `${count} messages are shown` },
    );
  const queue = async () => (await channel.owner.api.ok("listRedemptions")).items;
  const balance = async () =>
    (await viewer.api.ok("getPoints", { params: { user_id: channel.owner.id } })).balance;

  it("publishes the input as one chat message right after redemption.created", async () => {
    const socket = new Socket(`${world.socketUrl}/v1/ws/chat/${channel.stream.id}`);
    sockets.push(socket);
    await socket.next("subscribed");

    const { id } = await redeem("Blue Monday");

    const created = await socket.next("redemption.created");
    const message = await socket.next("chat.message");
    expect(Object(created.data)).include({ id, user_input: null });
    expect(message.seq).equal(Number(created.seq) + 1);
    expect(message.data).deep.include({
      uuid: id,
      user_id: viewer.id,
      content: "Blue Monday",
      type: "redemption",
      act: { type: "redemption", id, reward_id: rewardId, reward_title: "Play a song", cost: 10 },
    });
    expect((await messages()).map(({ uuid }) => uuid)).deep.equal([id]);
    expect(socket.problems).deep.equal([]);
  });

  it("refuses blocked terms and blocks before it takes points, whatever the rates and modes", async () => {
    const { owner, at } = channel;
    await owner.api.ok("addBlockedTerm", { params: at, body: { term: "casino", action: "block" } });
    const before = await balance();
    expect((await viewer.api.call("redeemReward", request("my cas1no"))).code).equal("blocked_term");
    await owner.api.ok("blockUser", { params: { user_id: viewer.id } });
    expect((await viewer.api.call("redeemReward", request("a song"))).code).equal("blocked");
    await owner.api.ok("unblockUser", { params: { user_id: viewer.id } });
    expect(await balance()).equal(before);
    expect(await queue()).deep.equal([]);

    const modes = { slow: 300, followers_only: 100, emote_only: true, unique_chat: true, shield_mode: true };
    await owner.api.ok("updateChatSettings", { params: at, body: modes });
    await Promise.all([redeem("a song"), redeem("a song")]);
    await shown(2);
    expect(await balance()).equal(before - 20);
  });

  it("refuses an input that is typed as a command before it takes points", async () => {
    const before = await balance();
    const { code, details } = await viewer.api.call("redeemReward", request("/ban alice spammer"));
    expect(code).equal("validation_failed");
    expect(details).nested.include({ "errors[0].path": "/body/user_input", "errors[0].rule": "command" });
    expect(await balance()).equal(before);
    expect(await queue()).deep.equal([]);
  });

  it("repeats a redemption under its Idempotency-Key without checking its input again", async () => {
    const { owner, at } = channel;
    const keyed = viewer.api.with({ "idempotency-key": "of-this-redemption" });
    const first = await keyed.ok("redeemReward", request("a song"));
    await owner.api.ok("addBlockedTerm", { params: at, body: { term: "song", action: "block" } });
    expect(await keyed.ok("redeemReward", request("a song"))).deep.equal(first);
    expect(await queue()).length(1);
  });

  it("neither checks nor shows an input that the reward does not require", async () => {
    const { owner, at } = channel;
    await owner.api.ok("addBlockedTerm", { params: at, body: { term: "casino", action: "block" } });
    const silent = await owner.api.ok("createReward", { body: { title: "Hydrate", cost: 10 } });
    const redeemed = await viewer.api.ok("redeemReward", request("my casino", silent.id));
    expect(redeemed.user_input).equal(null);
    await redeem("a song");
    expect((await shown(1)).map(({ content }) => content)).deep.equal(["a song"]);
  });

  it("holds a link in shield mode while the redemption is in the queue", async () => {
    const { owner, at } = channel;
    await owner.api.ok("updateChatSettings", { params: at, body: { shield_mode: true } });
    const { id } = await redeem("https://example.com/song");
    const held = await eventually(
      async () => {
        const [found] = (await owner.api.ok("listHeldMessages", { params: at })).items;
        if (!found) throw new Error("nothing is held");
        return found;
      },
      { what: "the text is held" },
    );
    expect(held).deep.include({ id, matched_term: "link" });
    expect(held.act).include({ type: "redemption", reward_title: "Play a song" });
    expect((await queue()).map(({ user_input }) => user_input)).deep.equal(["https://example.com/song"]);

    await owner.api.ok("approveHeldMessage", { params: { ...at, held_id: id } });

    const [message] = await shown(1);
    expect(message).include({ uuid: id, type: "redemption", content: "https://example.com/song" });
  });

  it("removes the input from the queue when author, moderator or staff delete its message", async () => {
    const [one, two, three] = [await redeem("first"), await redeem("second"), await redeem("third")];
    await shown(3);
    const { staff, caseOf } = givenStaff(world, given);
    const target = { target_type: "chat_message", target_id: three.id, reason_code: "hate" } as const;
    await eventually(
      async () => {
        const reported = await (await given.user()).api.call("createReport", { body: target });
        expect(reported.status).equal(201);
      },
      { what: "the message is archived" },
    );

    await channel.owner.api.ok("deleteChatMessage", { params: { ...channel.at, uuid: one.id } });
    await viewer.api.ok("deleteChatMessage", { params: { ...channel.at, uuid: two.id } });
    const [member, params] = [await staff(), { report_id: await caseOf(three.id) }];
    const measures = [{ type: "remove_content" as const, reason: "Hate" }];
    await member.api.ok("handleReport", { params, body: { action: "claim" } });
    await member.api.ok("handleReport", { params, body: { action: "act", measures } });

    await eventually(
      async () => expect((await messages()).map(({ content }) => content)).deep.equal(["", "", ""]),
      { what: "all three are deleted in the room" },
    );
    const inputs = (await queue()).map(({ user_input }) => user_input);
    expect(inputs).deep.equal([null, null, null]);
    expect((await viewer.api.ok("listMyRedemptions")).items[0]?.user_input).equal(null);
  });

  for (const act of ["banUser", "clearChat"] as const) {
    it(`removes the input when its message is deleted after ${act}, by author, moderator or staff`, async () => {
      const [one, two, three] = [await redeem("first"), await redeem("second"), await redeem("third")];
      await shown(3);
      const { staff, caseOf } = givenStaff(world, given);
      const target = { target_type: "chat_message", target_id: three.id, reason_code: "hate" } as const;
      const reporter = await given.user();
      await eventually(
        async () => (await reporter.api.call("createReport", { body: target })).status === 201,
        {
          what: "the message is archived",
        },
      );
      const params = { ...channel.at, user_id: viewer.id };
      if (act === "banUser") await channel.owner.api.ok("banUser", { params });
      else await channel.owner.api.ok("clearChat", { params: channel.at });
      const isArchived = async () => (await messages()).every(({ is_deleted }) => is_deleted);
      await eventually(isArchived, { what: "all three are hidden" });

      await channel.owner.api.ok("deleteChatMessage", { params: { ...channel.at, uuid: one.id } });
      await viewer.api.ok("deleteChatMessage", { params: { ...channel.at, uuid: two.id } });
      const member = await staff();
      const about = { report_id: await caseOf(three.id) };
      const measures = [{ type: "remove_content" as const, reason: "Hate" }];
      await member.api.ok("handleReport", { params: about, body: { action: "claim" } });
      await member.api.ok("handleReport", { params: about, body: { action: "act", measures } });

      const inputs = (await queue()).map(({ user_input }) => user_input);
      expect(inputs).deep.equal([null, null, null]);
    });
  }

  it("publishes an input at most once, and a withheld one never", async () => {
    const { id } = await redeem("once");
    await shown(1);
    const { outbox, rooms, mongo } = world.core;
    const [message] = await messages();
    if (!message) throw new Error("nothing was shown");
    const again = (uuid: string, version: number) => {
      const unchecked = { ...message, uuid };
      const effects = [{ kind: "message", uuid, authorId: viewer.id, unchecked }] as const;
      return {
        type: "chat.message" as const,
        data: unchecked,
        effects,
        actor: `spec:${uuid}`,
        version,
        n: 0,
      };
    };
    const publish = async (uuid: string) => {
      const row = { ...again(uuid, 1), target: { room: channel.stream.id } };
      await inTransaction(mongo.client, (session) => outbox.write([row], session));
      await outbox.publish(row.actor);
    };
    const other = crypto.randomUUID();
    await publish(other);
    await publish(other);
    await shown(2);

    const ban = { params: { ...channel.at, user_id: viewer.id } };
    await channel.owner.api.ok("banUser", { ...ban, body: {} });
    const late = crypto.randomUUID();
    await publish(late);
    await channel.owner.api.ok("unbanUser", ban);
    await publish(late);
    expect((await messages()).map(({ uuid }) => uuid)).deep.equal([id, other]);
    expect(await rooms.findMessage(channel.stream.id, late)).equal(null);
  });

  it("publishes the input of a redemption made while Redis was unavailable", async () => {
    await redeem("before");
    await shown(1);
    world.core.redis.disconnect();
    const redeemed = await viewer.api.call("redeemReward", request("meanwhile"));
    await world.core.redis.connect();

    expect(redeemed.status).equal(201);
    expect((await shown(2)).map(({ content }) => content)).deep.equal(["before", "meanwhile"]);
  });
});
