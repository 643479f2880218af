import { expect } from "chai";
import { ephemeralEventText } from "../../../../realtime/rooms/control.ts";
import { notificationFactsIn } from "../../../../store/mongo/notifications/notification-facts.ts";
import { Socket } from "../../../realtime/gateway/world.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { givenStaff } from "../../../support/given-staff.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("channel.followed", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  let channel: Channel;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    channel = await given.channel();
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  async function inRoom(api: Person["api"]): Promise<Socket> {
    const { ticket } = await api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws/chat/${channel.at.stream_id}?ticket=${ticket}`);
    sockets.push(socket);
    await socket.next("subscribed");
    return socket;
  }
  /** Its number of sockets is reported a moment after they are there. */
  const heardOf = (count: number) =>
    eventually(async () =>
      expect(await world.core.rooms.connections.count(channel.at.stream_id)).equal(count),
    );
  const follow = (who: Person) => who.api.ok("followUser", { params: { user_id: channel.owner.id } });
  const seen = (socket: Socket) => socket.ofType("channel.followed").map(({ data }) => Object(data).user.id);

  it("tells owner, moderators and their programs of each new follower, and no one else", async () => {
    const moderator = await given.moderatorOf(channel);
    const { token } = await moderator.api.ok("createApiToken", {
      body: { name: "bot", scopes: ["chat:read", "chat:moderate"] },
    });
    const { token: reading } = await moderator.api.ok("createApiToken", {
      body: { name: "reader", scopes: ["chat:read"] },
    });
    const told = [
      await inRoom(channel.owner.api),
      await inRoom(moderator.api),
      await inRoom(world.api.as({ token })),
    ];
    const others = [
      await inRoom((await given.vipOf(channel)).api),
      await inRoom((await given.user()).api),
      await inRoom(world.api.as({ token: reading })),
    ];
    await heardOf(6);

    const [one, other] = [await given.user(), await given.user()];
    await follow(one);
    await follow(other);
    await eventually(() => {
      for (const socket of told) expect(seen(socket)).deep.equal([one.id, other.id]);
    });

    expect(told[0]?.ofType("channel.followed")[0]).not.property("seq");
    const { id, username } = one;
    expect(told[0]?.ofType("channel.followed")[0]?.data).deep.include({
      user: { id, username, username_title: username, image_url: null },
    });
    await channel.owner.api.ok("clearChat", { params: channel.at });
    for (const socket of others) {
      await socket.next("chat.cleared");
      expect(seen(socket)).deep.equal([]);
    }
  });

  it("comes once a follower, also if the owner wants no notifications of followers", async () => {
    await channel.owner.api.ok("setNotificationPreferences", { body: { followers: false } });
    const socket = await inRoom(channel.owner.api);
    await heardOf(1);
    const [fan, last] = [await given.user(), await given.user()];

    await follow(fan);
    await fan.api.ok("unfollowUser", { params: { user_id: channel.owner.id } });
    await follow(fan);
    await follow(last);

    await eventually(() => expect(seen(socket)).deep.equal([fan.id, last.id]));
  });

  it("comes as soon as Redis is back when it couldn't tell which rooms have sockets", async () => {
    const socket = await inRoom(channel.owner.api);
    await heardOf(1);
    const fan = await given.user();
    world.core.redis.disconnect();
    try {
      await follow(fan);
      const listed = async () => (await channel.owner.api.ok("countUnreadNotifications")).unread_count;
      await eventually(async () => expect(await listed()).equal(1));
    } finally {
      await world.core.redis.connect();
    }

    await eventually(() => expect(seen(socket)).deep.equal([fan.id]));
  });

  it("doesn't come for a follower whose account was banned meanwhile", async () => {
    const socket = await inRoom(channel.owner.api);
    await heardOf(1);
    const [staff, gone, last] = [
      await givenStaff(world, given).staff(),
      await given.user(),
      await given.user(),
    ];
    const banned = { params: { account_id: gone.id }, body: { reason: "So" } };
    await staff.api.ok("banAccount", banned);

    await notificationFactsIn(world.core.mongo.db).insert(
      [gone, last].map(({ id }) => ({
        kind: "follower",
        ref: id,
        userId: channel.owner.id,
        at: new Date(world.clock.now()),
        data: { followerId: id },
      })),
    );

    await eventually(() => expect(seen(socket)).deep.equal([last.id]));
  });

  it("goes to workers under a command that those of the last release drop, unlike what they know", () => {
    const commandOf = (type: string) => JSON.parse(ephemeralEventText("s", { type, data: {} })).type;
    expect(commandOf("channel.followed")).equal("room.moderatorNotice");
    for (const known of ["mod.action", "chat.config"]) expect(commandOf(known)).equal("room.notice");
  });
});
