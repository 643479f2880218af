import { expect } from "chai";
import { HOUR_MS } from "../../../base/durations.ts";
import { shows } from "../../../contract/coverage/shows.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import type { Success } from "../../support/api.ts";
import { givenBilling } from "../../support/billing.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

type Line = Success<"listNotifications">["items"][number];

describe("notifications", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  let billing: ReturnType<typeof givenBilling>;
  const sockets: Socket[] = [];
  before(async () => {
    billing = givenBilling(world);
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  async function listening(person: Person): Promise<Socket> {
    const { ticket } = await person.api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws/user?ticket=${ticket}`);
    sockets.push(socket);
    await socket.next("subscribed");
    return socket;
  }
  const follow = (who: Person, whom: Person) => who.api.ok("followUser", { params: { user_id: whom.id } });
  const listOf = async (person: Person) => (await person.api.ok("listNotifications")).items;
  const notificationsOf = (person: Person, count: number): Promise<Line[]> =>
    eventually(async () => {
      const items = await listOf(person);
      expect(items.length).equal(count);
      return items;
    });
  const unreadOf = async (person: Person) => (await person.api.ok("countUnreadNotifications")).unread_count;
  const paid = async (order: Promise<{ checkout_url: string | null }>) =>
    billing.press((await order).checkout_url, "pay");
  const linkOf = ({ username }: Person) => `https://livecore.example/${username}`;
  const say = ({ api }: Person, { at }: Channel, content: string) => {
    world.clock.move(2_000);
    return api.ok("sendChatMessage", { params: at, body: { content } });
  };

  it("notify an owner of followers, the newest first, and sockets of how many are unread", async () => {
    const [owner, one, other] = [await given.user(), await given.user(), await given.user()];
    const socket = await listening(owner);
    await follow(one, owner);
    await notificationsOf(owner, 1);
    world.clock.move(1_000);
    await follow(other, owner);

    const items = await notificationsOf(owner, 2);

    expect(items.map(({ id: _, created_at: _at, ...line }) => line)).deep.equal(
      [other, one].map((who) => ({
        user_id: owner.id,
        type: "follower",
        kind: "follower",
        about: { actor_name: who.username },
        title: "New follower",
        message: `${who.username} follows you.`,
        link: linkOf(who),
        actor_id: who.id,
        is_read: false,
      })),
    );
    shows("default Notification.is_read");
    await eventually(() => expect(socket.ofType("notification").length).equal(2));
    expect(socket.ofType("notification").map(({ data }) => data)).deep.equal(
      [...items].reverse().map((notification, n) => ({ notification, unread_count: n + 1 })),
    );
    await one.api.ok("unfollowUser", { params: { user_id: owner.id } });
    await follow(one, owner);
    expect(await unreadOf(owner)).equal(2);
  });

  it("are read one by one or all, and deleted, by their owner alone", async () => {
    const [owner, ...fans] = [await given.user(), await given.user(), await given.user(), await given.user()];
    for (const fan of fans) await follow(fan, owner);
    const [first, second] = await notificationsOf(owner, 3);
    const at = { params: { notification_id: String(first?.id) } };
    const socket = await listening(owner);
    const stranger = fans[0]?.api;
    expect(await stranger?.call("readNotification", at)).include({ status: 404, code: "not_found" });
    expect(await stranger?.call("deleteNotification", at)).include({ status: 404, code: "not_found" });

    for (let n = 0; n < 2; n++) await owner.api.ok("readNotification", at);
    expect((await listOf(owner)).map(({ is_read }) => is_read)).deep.equal([true, false, false]);
    await owner.api.ok("deleteNotification", { params: { notification_id: String(second?.id) } });
    expect(
      await owner.api.call("deleteNotification", { params: { notification_id: String(second?.id) } }),
    ).include({
      code: "not_found",
    });
    expect(await unreadOf(owner)).equal(1);
    await owner.api.ok("readAllNotifications");

    expect((await listOf(owner)).map(({ is_read }) => is_read)).deep.equal([true, true]);
    expect(await unreadOf(owner)).equal(0);
    const counts = () => socket.ofType("notification.unread").map(({ data }) => Object(data).unread_count);
    await eventually(() => expect(counts()).deep.equal([2, 2, 1, 0]));
  });

  it("leave out followers who switched them off for the channel, until they switch them on", async () => {
    const channel = await given.channel();
    const [muted, other] = [await given.followerOf(channel), await given.followerOf(channel)];
    const at = { params: { user_id: channel.owner.id } };
    await muted.api.ok("updateFollow", { ...at, body: { notifications: "none" } });

    await given.goLive(channel);

    await notificationsOf(other, 1);
    expect(await listOf(muted)).deep.equal([]);
    await channel.owner.api.ok("endBroadcast", { params: channel.at });
    await muted.api.ok("updateFollow", { ...at, body: { notifications: "all" } });
    world.clock.move(HOUR_MS);
    const later = { ...channel, owner: await given.signedInAgain(channel.owner) };
    await given.goLive(later, "2");
    const [line] = await eventually(async () => {
      const { items } = await (await given.signedInAgain(muted)).api.ok("listNotifications");
      expect(items.length).equal(1);
      return items;
    });
    expect(line).include({ type: "stream_live", actor_id: channel.owner.id });
  });

  it("notify followers that a channel is live, and its owner of raids", async () => {
    const [source, target] = [await given.channel(), await given.channel()];
    const fan = await given.followerOf(source);
    await given.goLive(source);
    const [live] = await notificationsOf(fan, 1);
    expect(live).include({
      type: "stream_live",
      title: "Live now",
      message: `${source.owner.username} is live.`,
      link: linkOf(source.owner),
      actor_id: source.owner.id,
    });
    await given.goLive(target, "2");
    const target_user_id = target.owner.id;
    await source.owner.api.ok("createRaid", { params: source.at, body: { target_user_id } });

    await eventually(
      async () => {
        world.clock.move(20_000);
        const [raid] = await listOf(target.owner);
        expect(raid).include({ type: "raid", link: linkOf(source.owner), actor_id: source.owner.id });
        expect(raid?.message).equal(`${source.owner.username} raided you with 0 viewers.`);
      },
      { withinMs: 15_000 },
    );
  });

  it("notify of subscriptions, gifts and donations", async () => {
    const { owner } = await given.channel();
    const [viewer, friend] = [await given.user(), await given.user()];
    const channel_user_id = owner.id;
    await paid(viewer.api.ok("createSubscriptionCheckout", { body: { channel_user_id, tier: 2 } }));
    await notificationsOf(owner, 1);
    world.clock.move(1_000);
    const gift = { channel_user_id, tier: 1 as const, gift_to_user_id: friend.id };
    await paid(viewer.api.ok("createSubscriptionCheckout", { body: gift }));
    await notificationsOf(owner, 2);
    world.clock.move(1_000);
    const tip = { to_user_id: owner.id, amount_cents: 550, currency: "USD" };
    await paid(viewer.api.ok("createTipCheckout", { body: tip }));
    await notificationsOf(owner, 3);
    world.clock.move(1_000);
    await paid(world.api.ok("createTipCheckout", { body: tip }));

    const items = await notificationsOf(owner, 4);

    const [who, whom] = [viewer.username, friend.username];
    expect(items.map(({ type, message }) => [type, message])).deep.equal([
      ["donation", "Someone sent you $5.50."],
      ["donation", `${who} sent you $5.50.`],
      ["subscription", `${who} gifted ${whom} a tier 1 subscription.`],
      ["subscription", `${who} subscribed at tier 2.`],
    ]);
    expect(items.map(({ actor_id }) => actor_id)).deep.equal([undefined, viewer.id, viewer.id, viewer.id]);
    expect(items[0]).not.have.any.keys("link", "image_url", "actor_id");
    const [got] = await notificationsOf(friend, 1);
    const message = `${who} gifted you a tier 1 subscription to ${owner.username}.`;
    expect(got).include({ type: "subscription", message, link: linkOf(owner) });
  });

  it("notify who was named in a chat, once in ten minutes of the same author there", async () => {
    const [room, elsewhere] = [await given.channel(), await given.channel()];
    const [author, named] = [await given.user(), await given.user()];
    // So that all of it is within the same ten minutes.
    world.clock.move(600_000 - (world.clock.now() % 600_000));
    for (const text of ["hello", "are you there"]) await say(author, room, `@${named.username} ${text}`);
    await say(author, elsewhere, `@${named.username} or here`);

    const items = await notificationsOf(named, 2);

    expect(items.map(({ type, message, link, actor_id }) => [type, message, link, actor_id])).deep.equal(
      [elsewhere, room].map(({ owner }) => [
        ...["mention", `${author.username} mentioned you in ${owner.username}'s chat.`],
        ...[linkOf(owner), author.id],
      ]),
    );
  });

  it("name nobody who has deleted the account", async () => {
    const [owner, fan] = [await given.user(), await given.user()];
    await follow(fan, owner);
    await notificationsOf(owner, 1);
    await fan.api.ok("deleteMe", { body: { password: "a long phrase for specs" } });

    const [line] = await listOf(owner);
    expect(line).include({ message: "Someone follows you." }).and.not.have.any.keys("link", "actor_id");
  });
});
