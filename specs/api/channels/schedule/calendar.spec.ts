import { expect } from "chai";
import { calendarOf } from "../../../../actors/channels/schedule/calendar.ts";
import { occurrencesOf } from "../../../../actors/channels/schedule/occurrences.ts";
import { readPythonZones } from "../../../actors/channels/time-zones/python-zones.ts";
import type { Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";
import { readCalendar } from "./read-calendar.ts";
import { SUNDAYS } from "./sundays.ts";

describe("a channel's calendar", () => {
  const { world, given } = setUpWorld();
  let owner: Person;
  beforeEach(async () => {
    owner = await given.user();
  });

  const add = (body: object) => owner.api.ok("createScheduleEntry", { body });
  const calendar = async () => {
    const params = { username: owner.username };
    return readCalendar(String(await world.api.ok("getScheduleCalendar", { params })));
  };
  const list = async (from: string, to: string) => {
    const query = { from, to, per_page: "100" };
    return (await world.api.ok("listSchedule", { params: { username: owner.username }, query })).items;
  };

  it("shows the same times as REST, and no text of an entry becomes a line", async () => {
    const title = `Fun; games, and \\ END:VEVENT ${"ab😀".repeat(30)}`;
    const { id } = await add({ ...SUNDAYS, title });
    await add({ title: "once", starts_at: "2026-05-01T10:00:00Z" });

    const answer = await world.api.call("getScheduleCalendar", { params: { username: owner.username } });

    expect(answer.headers.get("content-type")).equal("text/calendar; charset=utf-8");
    expect(answer.headers.get("ratelimit-policy")).include('name="bulk_reads"');
    const read = readCalendar(String(answer.body));
    expect(read.events).length(2);
    const period = ["2026-03-20T00:00:00Z", "2026-06-06T00:00:00Z"] as const;
    const listed = (await list(...period)).filter((one) => one.id === id);
    expect(listed).length(11);
    expect(read.starting(...period, id)).deep.equal(
      listed.map(({ starts_at: starts, ends_at: ends }) => ({ starts, ends, title })),
    );
    const once = read.events.find(({ summary }) => summary === "once");
    expect(once?.startDate.toJSDate().toISOString()).equal("2026-05-01T10:00:00.000Z");
    expect(once?.isRecurring()).equal(false);
    expect((await world.api.call("getScheduleCalendar", { params: { username: "nobody.here" } })).code).equal(
      "not_found",
    );
  });

  it("carries the channel's name in its owner's casing", async () => {
    await owner.api.ok("updateMe", { body: { username_title: owner.username.toUpperCase() } });

    const read = await calendar();

    expect(read.nameOf("name")).equal(owner.username.toUpperCase());
    expect(read.nameOf("x-wr-calname")).equal(owner.username.toUpperCase());
  });

  it("defines each time zone that it names once, under that name, whatever its casing and age", async () => {
    const names = ["europe/london", "Europe/London", "Asia/Calcutta", "Asia/Kolkata", "utc", "US/Pacific"];
    for (const time_zone of names) await add({ ...SUNDAYS, time_zone });

    const read = await calendar();

    expect(read.zones.toSorted()).deep.equal([
      "Asia/Calcutta",
      "Asia/Kolkata",
      "Europe/London",
      "US/Pacific",
    ]);
  });

  it("has a single broadcast in UTC where the clock shows its start or end twice", async () => {
    // 01:30 in London comes at 00:30 and 01:30 that day.
    await add({
      title: "first",
      starts_at: "2026-10-24T23:30:00Z",
      ends_at: "2026-10-25T00:15:00Z",
      time_zone: "Europe/London",
    });
    await add({
      title: "second",
      starts_at: "2026-10-25T01:30:00Z",
      ends_at: "2026-10-25T02:30:00Z",
      time_zone: "Europe/London",
    });
    await add({
      title: "over",
      starts_at: "2026-10-25T00:30:00Z",
      ends_at: "2026-10-25T01:10:00Z",
      time_zone: "Europe/London",
    });

    const period = ["2026-10-24T00:00:00Z", "2026-10-26T00:00:00Z"] as const;
    expect((await calendar()).starting(...period)).deep.equal(
      (await list(...period)).map(({ starts_at: starts, ends_at: ends, title }) => ({ starts, ends, title })),
    );
  });

  for (const starts_at of ["2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"])
    it(`starts the first week at ${starts_at} as given, though the clock shows that twice`, async () => {
      const ends_at = new Date(Date.parse(starts_at) + 5_400_000).toISOString();
      const weekly = { title: "weekly", starts_at, ends_at, is_recurring: true, time_zone: "Europe/London" };
      const { id, starts_at: answered } = await add(weekly);
      await add({ ...weekly, title: "skips", recurrence_exceptions: [{ date: "2026-10-25" }] });

      const period = ["2026-10-24T00:00:00Z", "2026-11-10T00:00:00Z"] as const;
      const listed = await list(...period);
      const first = listed.filter((one) => one.id === id).map((one) => one.starts_at);
      expect([answered, ...first]).deep.equal([
        starts_at,
        starts_at,
        "2026-11-01T01:30:00.000Z",
        "2026-11-08T01:30:00.000Z",
      ]);
      const times = (all: readonly (string | null)[][]) => all.map(String).toSorted();
      expect(
        times((await calendar()).starting(...period).map((one) => [one.title, one.starts, one.ends])),
      ).deep.equal(times(listed.map((one) => [one.title, one.starts_at, one.ends_at])));
      expect(listed).length(5);
    });

  for (const [time_zone, starts_at, ends_at] of [
    ["Europe/London", "2026-10-24T23:45:00Z", "2026-10-25T01:15:00Z"],
    ["America/New_York", "2026-10-31T04:15:00Z", "2026-11-01T06:15:00Z"],
    ["Australia/Lord_Howe", "2026-04-04T13:00:00Z", "2026-04-04T15:10:00Z"],
    ["Europe/London", "2026-10-18T01:30:00Z", "2026-10-25T01:30:00Z"],
    // It begins in the hour, too.
    ["Europe/London", "2026-10-25T00:15:00Z", "2026-10-25T01:15:00Z"],
    ["Africa/El_Aaiun", "2026-02-14T23:45:10.750Z", "2026-02-15T02:30:00.250Z"],
    ["America/North_Dakota/Center", "2026-11-01T05:00:00Z", "2026-11-01T07:15:00Z"],
  ] as const)
    it(`has each week as long as the first, which ends at ${ends_at} in ${time_zone}, as REST has it`, async () => {
      await add({ title: "weekly", starts_at, ends_at, is_recurring: true, time_zone });

      const period = [starts_at, new Date(Date.parse(starts_at) + 30 * 86_400_000).toISOString()] as const;
      const inSeconds = (time: string | null) => time?.replace(/\.\d+Z$/, "Z");
      // In the week of the change itself this reader doesn't make what the standard says.
      const read = (await calendar()).starting("2026-01-01T00:00:00Z", period[1]).slice(1);
      const listed = (await list(...period)).slice(1);
      expect(listed).length(4);
      expect(read.map(({ starts, ends }) => [inSeconds(starts), inSeconds(ends)])).deep.equal(
        listed.map((one) => [inSeconds(one.starts_at), inSeconds(one.ends_at)]),
      );
    });

  it("has the weekly times of two years of every different zone as REST and Python have them", () => {
    const { zones, different } = readPythonZones();
    const begins = Date.UTC(2026, 10, 1);
    const entries = different.map((timeZone, n) => {
      // Through the hours of the night, in which clocks change, mostly on this weekday.
      const shown = begins + (n % 8) * 1_800_000;
      const startsAt = new Date(Math.min(...(zones.get(timeZone)?.instantsOf(shown) ?? [])));
      const endsAt = new Date(+startsAt + 5_400_000);
      const times = { startsAt, endsAt, createdAt: startsAt, changedAt: startsAt };
      const text = { _id: timeZone, userId: "user", place: n, title: timeZone, categoryId: null };
      return { ...text, ...times, isRecurring: true, timeZone };
    });
    const read = readCalendar(calendarOf(entries, { name: "all", url: "https://livecore.example/all" }));
    // No week of any zone lasts at its ends.
    const range = { from: new Date("2026-11-05T00:00:00Z"), to: new Date("2028-11-09T00:00:00Z") };
    const wrong: string[] = [];
    for (const [n, entry] of entries.entries()) {
      const name = entry._id;
      const inCalendar = read.starting(range.from.toISOString(), range.to.toISOString(), name);
      const inRest = occurrencesOf([entry], range);
      expect(inRest.length, name).equal(inCalendar.length).and.above(100);
      for (const [week, { startsAt, day }] of inRest.entries()) {
        const instants = zones.get(name)?.instantsOf(Date.parse(day) + (n % 8) * 1_800_000) ?? [];
        if (instants.length > 0 && Math.min(...instants) !== +startsAt) wrong.push(`REST: ${name} ${day}`);
        // Of times that come twice or not at all, this reader doesn't make what the standard says.
        if (instants.length !== 1) continue;
        if (inCalendar[week]?.starts !== startsAt.toISOString()) wrong.push(`calendar: ${name} ${day}`);
      }
    }
    expect(wrong).deep.equal([]);
  });
});
