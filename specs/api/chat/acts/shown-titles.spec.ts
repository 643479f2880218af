import { expect } from "chai";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpClips } from "../../live/clips/set-up-clips.ts";

describe("blocked terms for titles of clips and messages of raids", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { given } = setUpClips({ clock });
  let channel: Channel;
  let viewer: Person;
  beforeEach(async () => {
    channel = await given.liveChannel();
    clock.move(100_000);
    viewer = await given.user();
    const { owner, at } = channel;
    await owner.api.ok("addBlockedTerm", { params: at, body: { term: "casino", action: "block" } });
    await owner.api.ok("addBlockedTerm", { params: at, body: { term: "spoiler", action: "hold" } });
  });

  const clip = (more: object) => ({
    body: { ...channel.at, title: "A clip", start_time: 0, end_time: 5, ...more },
  });
  const codeOf = async (by: Person, more: object) => (await by.api.call("createClip", clip(more))).code;

  it("refuses titles and descriptions of new clips by blocking and by holding terms", async () => {
    expect(await codeOf(viewer, { title: "My c\u200ba\u200bsino" })).equal("blocked_term");
    expect(await codeOf(viewer, { description: "visit my casino" })).equal("blocked_term");
    expect(await codeOf(viewer, { title: "A spoiler" })).equal("blocked_term");
    expect(await codeOf(viewer, {})).equal(null);
    const moderator = await given.moderatorOf(channel);
    expect(await codeOf(moderator, { title: "Casino night" })).equal(null);
    expect(await codeOf(channel.owner, { title: "Casino night" })).equal(null);
  });

  it("refuses changed titles of clips, but not a change of visibility by a banned creator", async () => {
    const made = await viewer.api.ok("createClip", clip({}));
    const change = async (body: object, by = viewer) =>
      (await by.api.call("updateClip", { params: { clip_id: made.id }, body })).code;
    expect(await change({ title: "My casino" })).equal("blocked_term");
    expect(await change({ title: "Fine" })).equal(null);
    const params = { ...channel.at, user_id: viewer.id };
    await channel.owner.api.ok("banUser", { params, body: {} });
    expect(await change({ description: "Fine" })).equal("banned");
    expect(await change({ visibility: "private" })).equal(null);
    expect(await change({ title: "Casino night" }, channel.owner)).equal(null);
  });

  it("refuses the message of a raid by the terms of the raided channel", async () => {
    const source = await given.liveChannel();
    const raid = (message: string) =>
      source.owner.api.call("createRaid", { body: { target_user_id: channel.owner.id, message } });
    expect((await raid("to the casino")).code).equal("blocked_term");
    expect((await raid("a spoiler")).code).equal("blocked_term");
    expect((await raid("/ban alice")).code).equal("validation_failed");
    await channel.owner.api.ok("banUser", {
      params: { ...channel.at, user_id: source.owner.id },
      body: {},
    });
    expect((await raid("hello")).code).equal("raid_not_accepted");
    await channel.owner.api.ok("unbanUser", { params: { ...channel.at, user_id: source.owner.id } });
    await eventually(async () => expect((await raid("hello")).status).equal(201));
  });
});
