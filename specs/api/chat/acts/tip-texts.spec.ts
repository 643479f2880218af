import { expect } from "chai";
import { MINUTE_MS } from "../../../../base/durations.ts";
import { actTextsIn } from "../../../../store/mongo/chat/act-texts.ts";
import { tipsCollection } from "../../../../store/mongo/monetization/tips.ts";
import { Socket } from "../../../realtime/gateway/world.ts";
import { givenBilling } from "../../../support/billing.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

type HeldOf = { params: { stream_id: string; held_id: string } };

describe("chat messages of tips", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  let channel: Channel;
  let fan: Person;
  beforeEach(async () => {
    channel = await given.channel();
    fan = await given.user();
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  const order = (message: string, more: object = {}) => ({
    body: { to_user_id: channel.owner.id, amount_cents: 500, currency: "USD", message, ...more },
  });
  const checkout = async (message: string, more: object = {}) =>
    (await fan.api.ok("createTipCheckout", order(message, more))).checkout_url;
  const pay = async (url: string | null) => {
    const { status, page } = await givenBilling(world).press(url, "pay");
    expect(status, page).equal(200);
  };
  const tip = async (message: string, more: object = {}) => pay(await checkout(message, more));
  const lastTip = async () => {
    const [found] = (await channel.owner.api.ok("listMyTips")).items;
    if (!found) throw new Error("there is no tip");
    return found;
  };
  const stateOf = async () => (await lastTip()).message_state;
  const becomes = (state: string) =>
    eventually(async () => expect(await stateOf()).equal(state), { what: `the message is ${state}` });
  const messages = async () =>
    (await world.api.ok("listChatMessages", { params: channel.at })).items.filter(({ act }) => act);
  const block = (term: string, action: "block" | "hold" | "block_links") =>
    channel.owner.api.ok("addBlockedTerm", { params: channel.at, body: { term, action } });
  const ofFan = () => ({ params: { ...channel.at, user_id: fan.id } });

  async function follow(person: Person | null, path: string): Promise<Socket> {
    const query = person ? `?ticket=${(await person.api.ok("createWsTicket")).ticket}` : "";
    const socket = new Socket(`${world.socketUrl}/v1/ws/${path}${query}`);
    sockets.push(socket);
    await socket.next("subscribed");
    return socket;
  }

  it("publishes a tip's message as one chat message right after tip.received", async () => {
    const viewer = await follow(null, `chat/${channel.stream.id}`);

    await tip("What a play!\nAgain!");

    const received = await viewer.next("tip.received");
    const message = await viewer.next("chat.message");
    const { id, message: kept } = await lastTip();
    expect(Object(received.data)).include({ tip_id: id, message: null });
    expect(message.seq).equal(Number(received.seq) + 1);
    expect(message.data).deep.include({
      uuid: id,
      user_id: fan.id,
      content: "What a play! Again!",
      type: "tip",
      act: { type: "tip", id, amount_cents: 500, currency: "USD" },
    });
    expect(kept).equal("What a play!\nAgain!");
    await becomes("shown");
    expect((await messages()).map(({ uuid }) => uuid)).deep.equal([id]);
    expect(viewer.problems).deep.equal([]);
  });

  it("refuses a checkout whose message chat refuses, whatever the rates and modes", async () => {
    await block("casino", "block");
    await block("*", "block_links");
    const codeOf = async (message: string, more: object = {}) =>
      (await fan.api.call("createTipCheckout", order(message, more))).code;

    expect(await codeOf("my c@sino")).equal("blocked_term");
    expect(await codeOf("see https://example.com/win")).equal("blocked_term");
    expect(await codeOf("my casino", { anonymous: true })).equal("blocked_term");
    expect((await world.api.call("createTipCheckout", order("my casino"))).code).equal("blocked_term");
    expect((await fan.api.ok("listMyTips", { query: { direction: "sent" } })).items).deep.equal([]);

    const modes = { slow: 300, followers_only: 100, emote_only: true, unique_chat: true, shield_mode: true };
    await channel.owner.api.ok("updateChatSettings", { params: channel.at, body: modes });
    await tip("fine");
    await becomes("shown");
  });

  it("refuses a checkout whose message is typed as a command, also of visitors and anonymously", async () => {
    for (const text of ["/ban alice spammer", " \u200b/clear", "／ｂａｎ alice", "/me waves", "/\nban"]) {
      for (const [by, more] of [
        [fan.api, {}],
        [fan.api, { anonymous: true }],
        [world.api, {}],
      ] as const) {
        const { code, details } = await by.call("createTipCheckout", order(text, more));
        expect(code, text).equal("validation_failed");
        expect(details).nested.include({ "errors[0].path": "/body/message", "errors[0].rule": "command" });
      }
    }
    expect((await fan.api.ok("listMyTips", { query: { direction: "sent" } })).items).deep.equal([]);
  });

  it("withholds a message that an older release stored and that is typed as a command", async () => {
    const url = await checkout("fine");
    const stored = tipsCollection.in(world.core.mongo.db);
    await stored.updateOne({ fromUserId: fan.id }, { $set: { message: "/ban alice spammer" } });

    await pay(url);

    await becomes("withheld");
    expect(await lastTip()).include({ status: "completed", message: "/ban alice spammer" });
    expect(await messages()).deep.equal([]);
  });

  it("repeats a checkout under its Idempotency-Key without checking its message again", async () => {
    const keyed = fan.api.with({ "idempotency-key": "of-this-tip" });
    const first = await keyed.ok("createTipCheckout", order("What a play!"));
    await block("play", "block");
    expect(await keyed.ok("createTipCheckout", order("What a play!"))).deep.equal(first);
  });

  it("exempts moderators of the channel from its blocked terms", async () => {
    await block("casino", "block");
    fan = await given.moderatorOf(channel);
    await tip("my casino");
    await becomes("shown");
    expect((await messages()).map(({ content }) => content)).deep.equal(["my casino"]);
  });

  for (const [what, change] of [
    ["a new blocked term", () => block("play", "block")],
    ["a ban of its author", () => channel.owner.api.ok("banUser", { ...ofFan(), body: {} })],
    [
      "a timeout of its author",
      () => channel.owner.api.ok("timeoutUser", { ...ofFan(), body: { duration_seconds: 60 } }),
    ],
    ["a block of its author", () => channel.owner.api.ok("blockUser", { params: { user_id: fan.id } })],
    [
      "chat was switched off",
      () => channel.owner.api.ok("updateChatSettings", { params: channel.at, body: { chat_enabled: false } }),
    ],
  ] as const) {
    it(`books a tip and withholds its message after ${what}`, async () => {
      const url = await checkout("What a play!");
      await change();

      await pay(url);

      await becomes("withheld");
      expect(await lastTip()).include({ status: "completed", message: "What a play!" });
      expect(await messages()).deep.equal([]);
    });
  }

  it("holds the message of a paid tip for moderators and keeps its act on approval", async () => {
    await block("play", "hold");
    const moderator = await follow(channel.owner, `chat/${channel.stream.id}`);

    await tip("What a play!");

    const { id } = await lastTip();
    const act = { type: "tip", id, amount_cents: 500, currency: "USD" };
    expect((await moderator.next("mod.held")).data).deep.include({ id, matched_term: "play", act });
    await becomes("held");
    expect(await lastTip()).include({ status: "completed" });
    expect(await messages()).deep.equal([]);
    await channel.owner.api.ok("approveHeldMessage", { params: { ...channel.at, held_id: id } });
    const [message] = await messages();
    expect(message).deep.include({ uuid: id, type: "tip", act, content: "What a play!" });
    expect(moderator.problems).deep.equal([]);
  });

  /** Paid, and waiting for a moderator. */
  async function heldTip() {
    await block("play", "hold");
    await tip("What a play!");
    await becomes("held");
    return { params: { ...channel.at, held_id: (await lastTip()).id } };
  }

  for (const [state, what, decide] of [
    ["shown", "a moderator approved it", (held: HeldOf) => channel.owner.api.ok("approveHeldMessage", held)],
    ["denied", "a moderator denied it", (held: HeldOf) => channel.owner.api.ok("denyHeldMessage", held)],
    ["denied", "its author was banned", () => channel.owner.api.ok("banUser", { ...ofFan(), body: {} })],
  ] as const) {
    it(`lists a held message as ${state} once ${what}`, async () => {
      const held = await heldTip();

      await decide(held);

      await becomes(state);
      const [sent] = (await fan.api.ok("listMyTips", { query: { direction: "sent" } })).items;
      expect(sent?.message_state).equal(state);
      expect(await messages()).length(state === "shown" ? 1 : 0);
    });
  }

  it("stores that a held message expired after five minutes without a decision", async () => {
    const { params } = await heldTip();
    world.clock.move(5 * MINUTE_MS);
    const stored = () => tipsCollection.in(world.core.mongo.db).findOne({ _id: params.held_id });
    await eventually(async () => expect(await stored()).include({ messageState: "expired" }), {
      what: "the sweep ends it",
    });
    expect(await stateOf()).equal("expired");
  });

  it("lists a held message that Redis lost as expired", async () => {
    const { params } = await heldTip();
    await world.core.rooms.held.drop(channel.stream.id, [params.held_id]);
    expect(await stateOf()).equal("held");
    world.clock.move(5 * MINUTE_MS);
    expect(await stateOf()).equal("expired");
  });

  it("keeps a decision that is made before the room's own outcome is recorded", async () => {
    const held = await heldTip();
    await channel.owner.api.ok("denyHeldMessage", held);
    const act = { type: "tip", id: held.params.held_id, amount_cents: 500, currency: "USD" } as const;
    await actTextsIn(world.core.mongo.db).decided(act, "held", new Date(world.clock.now()));
    expect(await stateOf()).equal("denied");
  });

  it("shows the message of an anonymous tip only to its receiver", async () => {
    await tip("Guess who", { anonymous: true });
    await becomes("withheld");
    expect(await lastTip()).include({ message: "Guess who", from_user: null });
    expect(await messages()).deep.equal([]);
  });

  it("removes a message that a moderator deletes from the tip as well", async () => {
    await tip("What a play!");
    await becomes("shown");
    const { id } = await lastTip();

    await channel.owner.api.ok("deleteChatMessage", { params: { ...channel.at, uuid: id } });

    const [message] = await messages();
    expect(message).include({ uuid: id, content: "", is_deleted: true });
    expect(await lastTip()).include({ message: null, message_state: "deleted" });
    const [sent] = (await fan.api.ok("listMyTips", { query: { direction: "sent" } })).items;
    expect(sent).include({ message: null, message_state: "deleted" });
  });

  it("hides the message with a permanent ban of its author and with a clear", async () => {
    const other = await given.user();
    await tip("Banned later");
    await becomes("shown");
    await channel.owner.api.ok("banUser", { ...ofFan(), body: {} });
    expect((await messages()).map(({ content }) => content)).deep.equal([""]);
    fan = other;
    await tip("Cleared later");
    await becomes("shown");
    expect((await messages()).map(({ content }) => content)).deep.equal(["", "Cleared later"]);
    await channel.owner.api.ok("clearChat", { params: channel.at });
    expect((await messages()).map(({ content }) => content)).deep.equal(["", ""]);
  });

  it("archives the message with its act and accepts reports of it", async () => {
    await tip("What a play!");
    await becomes("shown");
    const { id } = await lastTip();
    const archive = world.core.mongo.db.collection<{ _id: string; act?: unknown }>("chat_messages");
    await eventually(
      async () => expect((await archive.findOne({ _id: id }))?.act).property("amount_cents", 500),
      { what: "the message is archived" },
    );
    const viewer = await given.user();
    const body = { target_type: "chat_message", target_id: id, reason_code: "harassment" } as const;
    const reported = await viewer.api.call("createReport", { body });
    expect(reported.status).equal(201);
  });
});
