import { expect } from "chai";
import { shows } from "../../../contract/coverage/shows.ts";
import { eventually } from "../../support/eventually.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const DEFAULTS = {
  stream_live: true,
  mentions: true,
  followers: true,
  raids: true,
  clips: true,
  subscriptions: true,
  donations: true,
  unban_requests: true,
  time_zone: "UTC",
  email_enabled: false,
  push_enabled: true,
};

describe("preferences of notifications", () => {
  const { world, given } = setUpWorld();

  it("are as they were set, and what is left out has its default", async () => {
    const { api } = await given.user();
    expect(await api.ok("getNotificationPreferences")).deep.equal(DEFAULTS);
    shows("default NotificationPreferences.stream_live", "default NotificationPreferences.mentions");
    shows("default NotificationPreferences.followers", "default NotificationPreferences.raids");
    shows("default NotificationPreferences.clips", "default NotificationPreferences.subscriptions");
    shows("default NotificationPreferences.donations", "default NotificationPreferences.email_enabled");
    shows("default NotificationPreferences.push_enabled");
    const night = {
      mentions: false,
      clips: false,
      email_enabled: true,
      push_enabled: false,
      time_zone: "Europe/Berlin",
      quiet_hours_start: "2026-03-14T21:00:00.000Z",
      quiet_hours_end: "2026-03-15T05:30:00.000Z",
    };
    const set = await api.ok("setNotificationPreferences", { body: night });
    expect(set).deep.equal({ ...DEFAULTS, ...night });
    expect(await api.ok("getNotificationPreferences")).deep.equal(set);
    const others = {
      raids: false,
      followers: false,
      stream_live: false,
      subscriptions: false,
      donations: false,
    };
    expect(await api.ok("setNotificationPreferences", { body: others })).deep.equal({
      ...DEFAULTS,
      ...others,
    });
    expect(await api.ok("setNotificationPreferences", { body: {} })).deep.equal(DEFAULTS);
  });

  it("keep a type that is switched off from the list, from then on", async () => {
    const [owner, ...fans] = [await given.user(), await given.user(), await given.user(), await given.user()];
    const follow = async (n: number) => fans[n]?.api.ok("followUser", { params: { user_id: owner.id } });
    const messages = async () =>
      (await owner.api.ok("listNotifications")).items.map(({ message }) => message);
    const line = (n: number) => `${fans[n]?.username} follows you.`;
    const isListed = (lines: string[]) => eventually(async () => expect(await messages()).deep.equal(lines));
    await follow(0);
    await isListed([line(0)]);
    await owner.api.ok("setNotificationPreferences", { body: { followers: false } });
    await follow(1);
    // It was decided by then.
    const facts = world.core.mongo.db.collection("notification_facts");
    const undecided = { userId: owner.id, listedAt: null };
    await eventually(async () => (await facts.countDocuments(undecided)) === 0);
    await owner.api.ok("setNotificationPreferences", { body: {} });
    await follow(2);

    await isListed([line(2), line(0)]);
  });

  for (const [what, body, path] of [
    ["one end of the quiet hours", { quiet_hours_start: "2026-03-14T21:00:00Z" }, "/body/quiet_hours_end"],
    [
      "quiet hours from a time of day to the same",
      { quiet_hours_start: "2026-03-14T21:00:00Z", quiet_hours_end: "2026-03-15T21:00:00Z" },
      "/body/quiet_hours_end",
    ],
    ["a time zone that nobody knows", { time_zone: "Mars/Olympus" }, "/body/time_zone"],
    [
      "a year that its offset makes longer than four figures",
      { quiet_hours_start: "9999-12-31T23:00:00-02:00", quiet_hours_end: "2026-03-15T07:00:00Z" },
      "/body/quiet_hours_start",
    ],
    [
      "a leap second",
      { quiet_hours_start: "2016-12-31T23:59:60Z", quiet_hours_end: "2017-01-01T05:00:00Z" },
      "/body/quiet_hours_start",
    ],
  ] as const) {
    it(`refuse ${what}`, async () => {
      const { api } = await given.user();
      const refused = await api.call("setNotificationPreferences", { body });
      expect(refused).include({ status: 400, code: "validation_failed" });
      expect(Object(refused.body).details.errors[0].path).equal(path);
      expect(await api.ok("getNotificationPreferences")).deep.equal(DEFAULTS);
    });
  }
});
