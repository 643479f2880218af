import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("the card of a user in a room", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let channel: Channel;
  beforeEach(async () => {
    channel = await given.channel();
  });

  const cardOf = ({ id }: Person, by: Pick<Person, "api"> = world) =>
    by.api.ok("getChatUser", { params: { ...channel.at, user_id: id } });
  const say = ({ api }: Person, content: string, { at } = channel) => {
    clock.move(2_000);
    return api.ok("sendChatMessage", { params: at, body: { content } });
  };
  const linesOf = async (person: Person) => (await cardOf(person)).messages.map(({ content }) => content);

  it("has the age of the follow, and the newest messages of this room that aren't deleted", async () => {
    const elsewhere = await given.channel();
    const fan = await given.user();
    const { created_at } = await fan.api.ok("followUser", { params: { user_id: channel.owner.id } });
    await say(fan, "elsewhere", elsewhere);
    for (let n = 1; n <= 21; n++) await say(fan, `line ${n}`);
    const { uuid } = await say(fan, "deleted");
    await channel.owner.api.ok("deleteChatMessage", { params: { ...channel.at, uuid } });

    await eventually(async () => {
      const newest = Array.from({ length: 19 }, (_, n) => `line ${n + 3}`);
      expect(await linesOf(fan)).deep.equal(newest);
    });

    const card = await cardOf(fan);
    expect(card).include({ role: null, followed_at: created_at, is_following: false, is_blocking: false });
    expect(card.user).include({ id: fan.id, username: fan.username });
  });

  it("has the role with its badge, but never the badge of staff", async () => {
    const staff = await givenStaff(world, given).staff();
    const badges = async (person: Person) => {
      const { role, badges } = await cardOf(person);
      return [role, badges];
    };

    expect(await badges(channel.owner)).deep.equal(["owner", ["owner"]]);
    expect(await badges(await given.moderatorOf(channel))).deep.equal(["moderator", ["moderator"]]);
    expect(await badges(await given.vipOf(channel))).deep.equal(["vip", ["vip"]]);
    expect(await badges(staff)).deep.equal([null, []]);
  });

  it("says whether the caller follows or blocks the user", async () => {
    const [viewer, fan, blocked] = [await given.user(), await given.user(), await given.user()];
    await viewer.api.ok("followUser", { params: { user_id: fan.id } });
    await viewer.api.ok("blockUser", { params: { user_id: blocked.id } });

    expect(await cardOf(fan, viewer)).include({ is_following: true, is_blocking: false });
    expect(await cardOf(blocked, viewer)).include({ is_following: false, is_blocking: true });
    expect(await cardOf(fan)).include({ is_following: false, is_blocking: false });
  });

  it("shows nothing that a banned user said, and nothing of the ban", async () => {
    const fan = await given.user();
    await say(fan, "hello");
    await eventually(async () => expect(await linesOf(fan)).deep.equal(["hello"]));
    await channel.owner.api.ok("banUser", { params: { ...channel.at, user_id: fan.id }, body: {} });

    await eventually(async () => expect(await linesOf(fan)).deep.equal([]));
    expect(JSON.stringify(await cardOf(fan))).not.contain("ban");
  });

  it("isn't there of unknown and banned accounts, but for staff", async () => {
    const [fan, staff] = [await given.user(), await givenStaff(world, given).staff()];
    await staff.api.ok("banAccount", { params: { account_id: fan.id }, body: { reason: "So" } });
    const codeFor = async ({ api }: Pick<Person, "api">, user_id = fan.id) =>
      (await api.call("getChatUser", { params: { ...channel.at, user_id } })).code;

    expect([await codeFor(world), await codeFor(channel.owner), await codeFor(staff)]).deep.equal([
      "not_found",
      "not_found",
      null,
    ]);
    expect(await codeFor(world, channel.at.stream_id)).equal("not_found");
  });
});
