// @waits: for presence to run out.
import { expect } from "chai";
import { OPERATOR } from "../../../base/audit.ts";
import type { ServerMessage } from "../../../contract/frames.ts";
import { eventually } from "../../support/eventually.ts";
import { type Channel, type Given, givenChannels, type Person } from "../../support/given-channels.ts";
import { type RoomViewer, viewRoom } from "../../support/room-viewer.ts";
import { givenStaffMember } from "../../support/two-factor.ts";
import { openWorld, type World } from "../../support/world.ts";

describe("sockets of a room", () => {
  let world: World;
  let given: Given;
  const viewers: RoomViewer[] = [];
  before(async () => {
    world = await openWorld();
    given = givenChannels(world);
  });
  after(async () => {
    for (const { client } of viewers) client.close();
    await world.close();
  });

  /** In the room when it resolves. */
  async function enter({ at }: Channel, person?: Person) {
    const messages: ServerMessage[] = [];
    const viewer = viewRoom({
      http: world.baseUrl,
      streamId: at.stream_id,
      ...(person ? { ticket: async () => (await person.api.ok("createWsTicket")).ticket } : {}),
      onMessage: (message) => void messages.push(message),
    });
    viewers.push(viewer);
    const ofType = (type: string) => messages.flatMap((one) => (one.type === type ? [one.data] : []));
    await eventually(() => ofType("subscribed").length > 0, { what: "the socket is in the room" });
    return { viewer, ofType, role: () => Object(Object(ofType("subscribed")[0]).state).role as unknown };
  }

  it("have the role that REST says, staff too", async () => {
    const channel = await given.channel();
    const [staff, nobody] = [await given.user(), await given.user()];
    const moderator = await given.moderatorOf(channel);
    for (const person of [staff, channel.owner]) {
      await givenStaffMember(world.core, person);
    }
    await eventually(() => [staff, channel.owner].every(({ id }) => world.core.staff.isKnownStaff(id)));

    for (const [person, role] of [
      [channel.owner, "owner"],
      [staff, "staff"],
      [moderator, "moderator"],
      [nobody, null],
    ] as const) {
      expect((await person.api.ok("getChatRoom", { params: channel.at })).role).equal(role);
      expect((await enter(channel, person)).role()).equal(role);
    }
    expect((await enter(channel)).role()).equal(null);
  });

  it("bring staff the news of moderators, for as long as they are staff", async () => {
    const channel = await given.channel();
    const [staff, viewer, other] = [await given.user(), await given.user(), await given.user()];
    const isStaff = async (is: boolean) => {
      if (is) await givenStaffMember(world.core, staff);
      else await world.core.staff.setStaff(staff.username, false, OPERATOR);
      await eventually(() => world.core.staff.isKnownStaff(staff.id) === is);
    };
    const ban = async (person: Person) =>
      channel.owner.api.ok("banUser", { params: { ...channel.at, user_id: person.id } });
    await isStaff(true);
    const [theirs, owners] = [await enter(channel, staff), await enter(channel, channel.owner)];

    await ban(viewer);
    await eventually(() => theirs.ofType("mod.action").length === 1);
    await isStaff(false);
    await ban(other);
    await eventually(() => owners.ofType("mod.action").length === 2);

    // What was sent before this is there when this is.
    await channel.owner.api.ok("updateChatSettings", { params: channel.at, body: { slow: 5 } });
    await eventually(() => theirs.ofType("chat.modes").length > 0);
    expect(theirs.ofType("mod.action")).length(1);
  });

  it("that are open are notified when their user becomes staff, and when that is over", async () => {
    const channel = await given.channel();
    const [staff, viewer] = [await given.user(), await given.user()];
    const theirs = await enter(channel, staff);
    const roles = () => theirs.ofType("room.standing").map((data) => Object(data).role as unknown);

    await givenStaffMember(world.core, staff);
    await eventually(() => roles().length === 1);
    await channel.owner.api.ok("banUser", { params: { ...channel.at, user_id: viewer.id } });
    await eventually(() => theirs.ofType("mod.action").length === 1);
    await world.core.staff.setStaff(staff.username, false, OPERATOR);
    await eventually(() => roles().length === 2);

    expect(roles()).deep.equal(["staff", null]);
  });

  it("are counted for those who change its settings, within a second", async () => {
    const channel = await given.channel();
    const change = async (slow: number) =>
      (await channel.owner.api.ok("updateChatSettings", { params: channel.at, body: { slow } })).connections;
    const within = (count: number) =>
      eventually(async () => (await change(count + 1)) === count, {
        withinMs: 1_000,
        what: `${count} sockets`,
      });

    const [first] = [await enter(channel), await enter(channel)];
    await within(2);
    first?.viewer.client.close();
    await within(1);
  });
});
