import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { operationsOf, readOpenApi } from "../../../../contract/openapi-document.ts";
import type { CreatedOverlay } from "../../../../contract/wire.ts";
import { followsCollection } from "../../../../store/mongo/channels/follows.ts";
import { tipsCollection } from "../../../../store/mongo/monetization/tips.ts";
import { RAID_COUNTDOWN_MS } from "../../../../store/mongo/raids/raids.ts";
import { Socket } from "../../../realtime/gateway/world.ts";
import type { OperationId } from "../../../support/api.ts";
import { givenBilling } from "../../../support/billing.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

type NewOverlay = { kind: CreatedOverlay["kind"]; settings?: Partial<CreatedOverlay["settings"]> };

/** What an overlay's token opens, besides what needs no credential. */
const OPENED = ["getOverlay", "listOverlayAlerts", "createWsTicket"];

describe("overlays", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    channel = await given.channel();
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  const create = ({ kind, settings = {} }: NewOverlay) =>
    channel.owner.api.ok("createOverlay", { params: channel.at, body: { kind, name: "Mine", settings } });
  const by = ({ token }: { token: string }) => world.api.as({ token });
  const at = ({ id }: { id: string }) => ({ ...channel.at, overlay_id: id });

  async function socketOf(overlay: CreatedOverlay): Promise<Socket> {
    const { ticket } = await by(overlay).ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${ticket}`);
    sockets.push(socket);
    return socket;
  }
  const follow = async (socket: Socket, topic: string) =>
    Object(await socket.command("subscribe", { channel: topic })).error?.code ?? "followed";

  it("show the token of a link once, and are listed with their settings", async () => {
    const { token, ...made } = await create({ kind: "alerts", settings: { alert_seconds: 10 } });
    expect(token).match(/^lc_pat_/);
    expect(made.settings).include({ theme: "dark", alert_seconds: 10, volume: 60 });
    const { items } = await channel.owner.api.ok("listOverlays", { params: channel.at });
    expect(items).deep.equal([made]);
    expect((await channel.owner.api.ok("listApiTokens")).items).deep.equal([]);
    const stored = await world.core.mongo.db.collection("apiTokens").findOne({ overlayId: made.id });
    expect(JSON.stringify(stored)).not.contain(token);
  });

  it("open by their token what they show, and no other operation", async () => {
    const overlay = await create({ kind: "chat" });
    const { id, kind, stream_id, settings } = overlay;
    expect(await by(overlay).ok("getOverlay")).deep.equal({ id, kind, stream_id, settings });
    for (const { operation, path } of operationsOf(readOpenApi())) {
      const { operationId, "x-access": access } = operation;
      if (["anonymous", "refresh", "system"].includes(access.who) || OPENED.includes(operationId)) continue;
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
      const params = { ...Object.fromEntries(names.map((name) => [name, newId()])), ...channel.at };
      const { status, code } = await by(overlay).call(operationId as OperationId, { params } as never);
      expect([operationId, status]).deep.equal([operationId, 403]);
      expect(["insufficient_scope", "forbidden"]).contain(code);
    }
  });

  it("aren't opened by sessions and personal tokens", async () => {
    const { token } = await channel.owner.api.ok("createToken", { body: { name: "bot" } });
    for (const operation of ["getOverlay", "listOverlayAlerts"] as const) {
      expect((await channel.owner.api.call(operation)).code).equal("forbidden");
      expect((await world.api.as({ token }).call(operation)).code).equal("insufficient_scope");
      expect((await world.api.call(operation)).code).equal("auth_required");
    }
  });

  it("follow the room of their channel without being in it, and no other topic", async () => {
    const overlay = await create({ kind: "chat" });
    const other = await given.channel();
    const socket = await socketOf(overlay);
    expect(await follow(socket, `chat:${other.stream.id}`)).equal("insufficient_scope");
    expect(await follow(socket, `viewers:${channel.stream.id}`)).equal("insufficient_scope");
    expect(await follow(socket, `chat:${channel.stream.id}`)).equal("followed");
    const subscribed = await eventually(() => {
      const [found] = socket.messages.filter(({ type }) => type === "subscribed");
      expect(found).not.equal(undefined);
      return found;
    });
    expect(Object(subscribed).data.state.role).equal(null);
    for (const [method, params] of [
      ["chat.send", { channel: `chat:${channel.stream.id}`, content: "Hello" }],
      ["chat.delete", { channel: `chat:${channel.stream.id}`, uuid: newId() }],
      ["heartbeat", { stream_id: channel.stream.id }],
    ] as const) {
      const reply = await socket.command(method, params);
      expect([method, Object(reply).error?.code]).deep.equal([method, "insufficient_scope"]);
    }
  });

  it("with alerts are told of new followers as moderators are, and others aren't", async () => {
    const [alerts, chat] = [await create({ kind: "alerts" }), await create({ kind: "chat" })];
    const both = [await socketOf(alerts), await socketOf(chat)];
    for (const socket of both) {
      expect(await follow(socket, `chat:${channel.stream.id}`)).equal("followed");
      expect(await follow(socket, `viewers:${channel.stream.id}`)).equal("insufficient_scope");
    }
    const fan = await given.followerOf(channel);
    const typesIn = ({ messages }: Socket) => messages.map(({ type }) => type);
    await eventually(() => expect(both.map(typesIn)[0]).contain("channel.followed"));
    await fan.api.ok("sendChatMessage", { params: channel.at, body: { content: "Hello" } });
    await eventually(() => expect(both.map(typesIn)[1]).contain("chat.message"));
    expect(both.map(typesIn)[1]).not.contain("channel.followed");
  });

  it("get from their owner's topic only what is about themselves", async () => {
    const [one, other] = [await create({ kind: "alerts" }), await create({ kind: "alerts" })];
    const socket = await socketOf(one);
    expect(await follow(socket, "user")).equal("followed");
    const { owner } = channel;
    await owner.api.ok("testOverlay", { params: at(other), body: { kind: "raid" } });
    const fan = await given.user();
    await world.core.mongo.db
      .collection<{ _id: string }>("users")
      .updateOne({ _id: fan.id }, { $set: { emailVerifiedAt: new Date() } });
    await fan.api.ok("sendWhisper", { params: { user_id: owner.id }, body: { content: "Psst" } });
    await owner.api.ok("updateOverlay", { params: at(one), body: { settings: { alert_seconds: 9 } } });
    const alert = await owner.api.ok("testOverlay", { params: at(one), body: { kind: "tip" } });

    const heard = () =>
      socket.messages.filter(({ type }) => !["hello", "reply", "subscribed"].includes(type));
    await eventually(() => expect(heard().at(-1)?.type).equal("overlay.tested"));
    expect(heard().map(({ type }) => type)).deep.equal(["overlay.updated", "overlay.tested"]);
    expect(Object(heard()[0]).data).include({ id: one.id });
    expect(Object(heard()[1]).data).deep.equal({ overlay_id: one.id, alert });
  });

  it("end at once when they get a new link or are deleted, with their sockets", async () => {
    const overlay = await create({ kind: "poll" });
    const before = await socketOf(overlay);
    await before.command("ping");
    const renewed = await channel.owner.api.ok("renewOverlay", { params: at(overlay) });
    await eventually(() => expect(before.closed?.code).equal(4_009));
    expect((await by(overlay).call("getOverlay")).code).equal("invalid_token");

    const after = await socketOf(renewed);
    await after.command("ping");
    await channel.owner.api.ok("deleteOverlay", { params: at(overlay) });
    await eventually(() => expect(after.closed?.code).equal(4_009));
    expect((await by(renewed).call("getOverlay")).code).equal("invalid_token");
    expect((await channel.owner.api.ok("listOverlays", { params: channel.at })).items).deep.equal([]);
  });

  it("leave no link that nobody can end when one without a link is renewed and deleted at once", async () => {
    const tokens = world.core.mongo.db.collection("apiTokens");
    for (let n = 0; n < 10; n++) {
      const overlay = await create({ kind: "chat" });
      await tokens.updateOne(
        { overlayId: overlay.id },
        { $set: { endedAt: new Date(), endReason: "ended" } },
      );
      const call = (operation: "renewOverlay" | "deleteOverlay") =>
        channel.owner.api.call(operation, { params: at(overlay) });
      const [{ status }] = await Promise.all([call("renewOverlay"), call("deleteOverlay")]);
      expect([201, 200, 404]).contain(status);
      expect(await tokens.countDocuments({ overlayId: overlay.id, endedAt: null })).equal(0);
    }
  });

  it("are at most 20 of a channel, also when several are created at once", async () => {
    for (let n = 0; n < 18; n++) await create({ kind: "chat" });
    const body = { kind: "chat" as const, name: "One more" };
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => channel.owner.api.call("createOverlay", { params: channel.at, body })),
    );
    const codes = answers.map(({ status, code }) => (status === 201 ? "created" : code)).sort();
    expect(codes).deep.equal(["created", "created", "limit_reached", "limit_reached"]);
  });

  it("are their owner's alone", async () => {
    const overlay = await create({ kind: "chat" });
    const moderator = await given.moderatorOf(channel);
    for (const { api } of [moderator, await given.user()])
      for (const operation of ["renewOverlay", "deleteOverlay"] as const)
        expect((await api.call(operation, { params: at(overlay) })).code).equal("forbidden");
    const other = await given.channel();
    const params = { ...other.at, overlay_id: overlay.id };
    expect((await other.owner.api.call("renewOverlay", { params })).code).equal("not_found");
  });

  it("list the alerts of the last six minutes that their settings choose", async () => {
    const billing = givenBilling(world);
    const settings = { alert_kinds: ["follow" as const, "tip" as const], smallest_tip_cents: 500 };
    const [chosen, all] = [await create({ kind: "alerts", settings }), await create({ kind: "alerts" })];
    const fan = await given.followerOf(channel);
    const tip = async (amount_cents: number) => {
      const body = { to_user_id: channel.owner.id, amount_cents, currency: "USD" };
      const { checkout_url } = await fan.api.ok("createTipCheckout", { body });
      await billing.press(checkout_url, "pay");
    };
    world.clock.move(1_000);
    await tip(499);
    world.clock.move(1_000);
    await tip(500);
    const kindsOf = async (overlay: CreatedOverlay) =>
      (await by(overlay).ok("listOverlayAlerts")).alerts.map(
        ({ kind, amount_cents }) => amount_cents ?? kind,
      );

    expect(await kindsOf(chosen)).deep.equal(["follow", 500]);
    expect(await kindsOf(all)).deep.equal(["follow", 499, 500]);
    world.clock.move(6 * 60_000 - 500);
    expect(await kindsOf(all)).deep.equal([500]);
    expect(await kindsOf(await create({ kind: "chat" }))).deep.equal([]);
  });

  it("list what was paid beside any number of follows", async () => {
    const overlay = await create({ kind: "alerts" });
    const fan = await given.user();
    const body = { to_user_id: channel.owner.id, amount_cents: 500, currency: "USD" };
    await givenBilling(world).press((await fan.api.ok("createTipCheckout", { body })).checkout_url, "pay");
    const createdAt = new Date(world.clock.now() + 1_000);
    const follows = Array.from({ length: 250 }, () => {
      const followerId = newId();
      const _id = `${followerId}:${channel.owner.id}`;
      return { _id, id: newId(), followerId, followingId: channel.owner.id, createdAt };
    });
    await followsCollection.in(world.core.mongo.db).insertMany(follows);
    const kinds = (await by(overlay).ok("listOverlayAlerts")).alerts.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "follow")).length(200);
    expect(kinds.filter((kind) => kind === "tip")).length(1);
  });

  it("list no text of a tip that a timeout, a clear or a ban has taken from the chat, nor one before it is decided", async () => {
    const overlay = await create({ kind: "alerts" });
    const tips = tipsCollection.in(world.core.mongo.db);
    const texts = async () =>
      (await by(overlay).ok("listOverlayAlerts")).alerts.map(({ message }) => message);
    async function tipped(message: string) {
      const fan = await given.user();
      const body = { to_user_id: channel.owner.id, amount_cents: 500, currency: "USD", message };
      const { checkout_url } = await fan.api.ok("createTipCheckout", { body });
      await givenBilling(world).press(checkout_url, "pay");
      await eventually(async () => expect(await texts()).contain(message), { what: "its text" });
      return { params: { ...channel.at, user_id: fan.id } };
    }
    const { owner } = channel;
    const loud = await tipped("Timed out");
    await owner.api.ok("timeoutUser", { ...loud, body: { duration_seconds: 60 } });
    expect(await texts()).deep.equal([null]);
    world.clock.move(61_000);
    expect(await texts()).deep.equal([null]);
    await tipped("Cleared");
    await owner.api.ok("clearChat", { params: channel.at });
    const banned = await tipped("Banned");
    await owner.api.ok("banUser", { ...banned, body: {} });
    await owner.api.ok("unbanUser", banned);
    await tipped("Stays");
    expect((await texts()).sort()).deep.equal(["Stays", null, null, null]);

    await tips.updateOne({ message: "Stays" }, { $set: { messageState: null } });
    expect(await texts()).deep.equal([null, null, null]);
    world.clock.move(10_000);
    expect(await texts()).deep.equal([null, null, null, null]);
  });

  it("list no text of a raid after a clear, nor after a ban or a timeout of its raider, also when that is over", async () => {
    await given.goLive(channel);
    const overlay = await create({ kind: "alerts" });
    const texts = async () =>
      (await by(overlay).ok("listOverlayAlerts")).alerts.map(({ message }) => message);
    async function raided(message: string) {
      const raider = await given.liveChannel();
      const body = { target_user_id: channel.owner.id, message };
      await raider.owner.api.ok("createRaid", { body });
      world.clock.move(RAID_COUNTDOWN_MS);
      await eventually(async () => expect(await texts()).contain(message), { what: "its text" });
      return { params: { ...channel.at, user_id: raider.owner.id } };
    }
    const { owner } = channel;
    await raided("Cleared");
    await owner.api.ok("clearChat", { params: channel.at });
    expect(await texts()).deep.equal([null]);
    await owner.api.ok("banUser", { ...(await raided("Banned")), body: {} });
    expect(await texts()).deep.equal([null, null]);
    await owner.api.ok("timeoutUser", { ...(await raided("Timed out")), body: { duration_seconds: 30 } });
    world.clock.move(31_000);
    expect(await texts()).deep.equal([null, null, null]);
  });

  it("refuse settings out of bounds, and a test of what shows no alerts", async () => {
    for (const settings of [{ alert_seconds: 1 }, { alert_seconds: 31 }, { volume: 101 }, { font_size: 4 }]) {
      const body = { kind: "alerts" as const, name: "Mine", settings };
      const { code } = await channel.owner.api.call("createOverlay", { params: channel.at, body });
      expect(code).equal("validation_failed");
    }
    const chat = await create({ kind: "chat" });
    const tested = { params: at(chat), body: { kind: "tip" as const } };
    expect((await channel.owner.api.call("testOverlay", tested)).code).equal("invalid_state");
  });
});
