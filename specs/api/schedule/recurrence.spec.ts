import { expect } from "chai";
import type { Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { readCalendar } from "./read-calendar.ts";

/** At eight in the evening in London, where the clock changes on 29 March 2026: the 1st, 8th, 15th, 22nd and 29th, and in April the 5th. */
const SUNDAYS = {
  title: "Sundays",
  starts_at: "2026-03-01T20:00:00Z",
  ends_at: "2026-03-01T22:00:00Z",
  is_recurring: true,
  time_zone: "Europe/London",
};
const PERIOD = ["2026-02-20T00:00:00Z", "2026-05-01T00:00:00Z"] as const;
const MARCH = ["01", "08", "15", "22"].map((day) => `2026-03-${day}T20:00:00.000Z`);
const SUMMER = ["03-29", "04-05", "04-12", "04-19", "04-26"].map((day) => `2026-${day}T19:00:00.000Z`);

describe("a weekly entry", () => {
  const { world, given } = setUpWorld();
  let owner: Person;
  beforeEach(async () => {
    owner = await given.user();
  });

  const add = (more: object = {}) => owner.api.ok("createScheduleEntry", { body: { ...SUNDAYS, ...more } });
  const change = (entry_id: string, body: object) =>
    owner.api.ok("updateScheduleEntry", { params: { entry_id }, body });
  async function refusal(more: object) {
    const { code, details } = await owner.api.call("createScheduleEntry", { body: { ...SUNDAYS, ...more } });
    return [code, Object(details.errors)[0]?.path];
  }
  const params = () => ({ username: owner.username });
  const listed = async () => {
    const [from, to] = PERIOD;
    const query = { from, to, per_page: "100" };
    return (await world.api.ok("listSchedule", { params: params(), query })).items;
  };
  const calendar = async () =>
    readCalendar(String(await world.api.ok("getScheduleCalendar", { params: params() })));
  /** When it starts, by REST and by the calendar, which have the same ends, too. */
  async function starts(): Promise<string[]> {
    const rest = (await listed()).map((one) => ({ starts: one.starts_at, ends: one.ends_at }));
    const read = (await calendar()).starting(...PERIOD);
    expect(read.map(({ starts, ends }) => ({ starts, ends }))).deep.equal(rest);
    return rest.map((one) => one.starts);
  }

  it("starts every week without an end, pause or exceptions, which answers show as none", async () => {
    expect(await add()).deep.include({
      recurrence_date: "2026-03-01",
      recurrence_until: null,
      recurrence_pause: null,
      recurrence_exceptions: [],
    });
    expect(await starts()).deep.equal([...MARCH, ...SUMMER]);
  });

  it("leaves out a skipped week and no other, in REST and calendar", async () => {
    await add({ recurrence_exceptions: [{ date: "2026-03-01" }, { date: "2026-03-29", moved_to: null }] });

    expect(await starts()).deep.equal([...MARCH.slice(1), ...SUMMER.slice(1)]);
  });

  it("starts a moved week at its new time for as long as others, named by its old day", async () => {
    const exceptions = [
      { date: "2026-03-15", moved_to: "2026-03-17T18:30:00.000Z" },
      // Over the change of the clock, and before the first week.
      { date: "2026-04-05", moved_to: "2026-02-24T09:00:00.000Z" },
    ];
    const made = await add({ recurrence_exceptions: exceptions });

    expect(made.recurrence_exceptions).deep.equal(exceptions);
    const left = [...MARCH, ...SUMMER].filter((at) => !/03-15|04-05/.test(at));
    expect(await starts()).deep.equal(
      [...left, "2026-03-17T18:30:00.000Z", "2026-02-24T09:00:00.000Z"].toSorted(),
    );
    const moved = (await listed()).find((one) => one.starts_at === "2026-03-17T18:30:00.000Z");
    expect(moved).include({
      id: made.id,
      ends_at: "2026-03-17T20:30:00.000Z",
      recurrence_date: "2026-03-15",
      recurrence_weekday: 0,
    });
  });

  it("leaves out the weeks from the first to the last day of a pause, moved ones too", async () => {
    await add({
      recurrence_pause: { from: "2026-03-08", until: "2026-03-29" },
      recurrence_exceptions: [{ date: "2026-03-15", moved_to: "2026-04-14T18:00:00Z" }],
    });

    expect(await starts()).deep.equal([MARCH[0], ...SUMMER.slice(1)]);
  });

  it("stops at a pause without an end, and goes on where that was lifted", async () => {
    const { id } = await add({ recurrence_pause: { from: "2026-03-16" } });
    expect((await listed())[0]?.recurrence_pause).deep.equal({ from: "2026-03-16", until: null });
    expect(await starts()).deep.equal(MARCH.slice(0, 3));

    await change(id, { recurrence_pause: { from: "2026-01-01" } });
    expect(await starts()).deep.equal([]);

    await change(id, { recurrence_pause: null });
    expect(await starts()).deep.equal([...MARCH, ...SUMMER]);
  });

  it("ends with the week of its last day, in REST and calendar", async () => {
    const { id } = await add({ recurrence_until: "2026-04-05" });
    expect(await starts()).deep.equal([...MARCH, ...SUMMER.slice(0, 2)]);

    await change(id, { recurrence_until: "2026-04-04" });
    expect(await starts()).deep.equal([...MARCH, ...SUMMER.slice(0, 1)]);

    await change(id, { recurrence_until: "2026-03-01" });
    expect(await starts()).deep.equal(MARCH.slice(0, 1));
  });

  it("keeps the calendar readable, since its days end with the year 2999 as its times do", async () => {
    const time_zone = "America/Los_Angeles";
    const path = (field: string) => ["validation_failed", `/body/${field}`];
    for (const day of ["9999-12-31", "3000-01-01"]) {
      expect(await refusal({ time_zone, recurrence_until: day })).deep.equal(path("recurrence_until"));
      for (const recurrence_pause of [{ from: day }, { from: day, until: day }])
        expect(await refusal({ time_zone, recurrence_pause })).deep.equal(path("recurrence_pause/from"));
    }
    const recurrence_pause = { from: "2999-12-31", until: "3000-01-01" };
    expect(await refusal({ time_zone, recurrence_pause })).deep.equal(path("recurrence_pause/until"));
    // Sundays, the last of which is in December.
    expect(await refusal({ recurrence_exceptions: [{ date: "3000-01-05" }] })).deep.equal(
      path("recurrence_exceptions/0/date"),
    );

    await add({ ends_at: null, time_zone, recurrence_until: "2999-12-31" });
    await add({ ends_at: null, time_zone, recurrence_pause: { from: "2999-12-31" } });

    expect((await calendar()).starting(...PERIOD)).length(2 * 9);
  });

  it("names the sent field by which the entry would begin after its end", async () => {
    const { id } = await add({ recurrence_until: "2026-03-01" });
    const refusalOf = async (body: object) => {
      const { code, details } = await owner.api.call("updateScheduleEntry", {
        params: { entry_id: id },
        body,
      });
      return [code, Object(details.errors)[0]?.path];
    };
    const later = { starts_at: "2026-03-08T20:00:00Z", ends_at: null };

    expect(await refusalOf(later)).deep.equal(["validation_failed", "/body/starts_at"]);
    // It is Monday there.
    expect(await refusalOf({ time_zone: "Asia/Tokyo" })).deep.equal(["validation_failed", "/body/time_zone"]);
    expect(await refusalOf({ ...later, recurrence_until: "2026-03-02" })).deep.equal([
      "validation_failed",
      "/body/recurrence_until",
    ]);
  });

  it("has no event in the calendar when every week until its end is skipped or paused", async () => {
    const skipped = ["2026-03-01", "2026-03-22"].map((date) => ({ date, moved_to: null as string | null }));
    const pause = { from: "2026-03-08", until: "2026-03-15" };
    const { id } = await add({
      recurrence_until: "2026-03-22",
      recurrence_pause: pause,
      recurrence_exceptions: skipped,
    });

    expect(await starts()).deep.equal([]);
    expect((await calendar()).events).deep.equal([]);

    const [first] = skipped;
    await change(id, {
      recurrence_exceptions: [first, { date: "2026-03-22", moved_to: "2026-03-24T20:00:00Z" }],
    });
    expect(await starts()).deep.equal(["2026-03-24T20:00:00.000Z"]);
  });

  it("counts days on its own clock, and has weeks that the clock moves over midnight under their day", async () => {
    // Monday in UTC, Sunday in Los Angeles; at 02:30, which the clock skips on 8 March.
    const late = { starts_at: "2026-03-01T10:30:00Z", ends_at: null, time_zone: "America/Los_Angeles" };
    await add({
      ...late,
      recurrence_exceptions: [{ date: "2026-03-08", moved_to: null }],
      recurrence_until: "2026-03-15",
    });

    expect((await listed()).map((one) => [one.recurrence_date, one.starts_at])).deep.equal([
      ["2026-03-01", "2026-03-01T10:30:00.000Z"],
      ["2026-03-15", "2026-03-15T09:30:00.000Z"],
    ]);
    const far = {
      starts_at: "2026-03-02T04:00:00Z",
      ends_at: "2026-03-02T05:00:00Z",
      time_zone: "America/Los_Angeles",
    };
    expect(await add({ ...far, recurrence_weekday: 0 })).include({ recurrence_date: "2026-03-01" });
  });

  it("keeps its end, pause and exceptions when other fields change, but for weeks that it lost", async () => {
    const recurrence = {
      recurrence_until: "2026-04-12",
      recurrence_pause: { from: "2026-03-20", until: "2026-03-25" },
      recurrence_exceptions: [
        { date: "2026-03-08", moved_to: null },
        { date: "2026-04-05", moved_to: null },
      ],
    };
    const { id } = await add(recurrence);

    expect(
      await change(id, { title: "later", starts_at: "2026-03-01T21:00:00Z", ends_at: null }),
    ).deep.include(recurrence);
    const [, april] = recurrence.recurrence_exceptions;
    expect(await change(id, { starts_at: "2026-03-15T21:00:00Z" })).deep.include({
      ...recurrence,
      recurrence_exceptions: [april],
    });
    expect(await change(id, { is_recurring: false })).deep.include({
      recurrence_date: null,
      recurrence_until: null,
      recurrence_pause: null,
      recurrence_exceptions: [],
    });
  });

  it("stays readable and changeable as an earlier release stored it, with a name that only Node has", async () => {
    const { id } = await add({ time_zone: "America/Los_Angeles" });
    const entries = world.core.mongo.db.collection<{ _id: string }>("schedule");
    await entries.updateOne(
      { _id: id },
      { $set: { timeZone: "PST" }, $unset: { lastDay: 1, pause: 1, exceptions: 1 } },
    );

    const changed = await change(id, { title: "later" });

    expect(changed).deep.include({ time_zone: "PST", recurrence_until: null, recurrence_exceptions: [] });
    expect((await starts()).slice(0, 2)).deep.equal(["2026-03-01T20:00:00.000Z", "2026-03-08T19:00:00.000Z"]);
    expect((await calendar()).zones).deep.equal(["America/Los_Angeles"]);
    expect(await refusal({ time_zone: "PST" })).deep.equal(["validation_failed", "/body/time_zone"]);
  });

  it("refuses days that aren't its own, and an end, pause or exceptions of a single entry", async () => {
    const path = (field: string) => ["validation_failed", `/body/${field}`];
    const skip = (...dates: string[]) => ({ recurrence_exceptions: dates.map((date) => ({ date })) });
    const exception = path("recurrence_exceptions/0/date");

    for (const date of ["2026-03-09", "2026-02-22", "2026-02-30", "12026-03-08"])
      expect(await refusal(skip(date)), date).deep.equal(exception);
    expect(await refusal({ ...skip("2026-03-15"), recurrence_until: "2026-03-14" })).deep.equal(exception);
    expect(await refusal(skip("2026-03-08", "2026-03-08"))).deep.equal(path("recurrence_exceptions/1/date"));
    expect(await refusal(skip(...Array.from({ length: 31 }, () => "2026-03-08")))).deep.equal(
      path("recurrence_exceptions"),
    );
    const moved = (moved_to: string) => ({ recurrence_exceptions: [{ date: "2026-03-08", moved_to }] });
    for (const time of ["2016-12-31T23:59:60Z", "1969-12-31T23:59:59Z"])
      expect(await refusal(moved(time))).deep.equal(path("recurrence_exceptions/0/moved_to"));
    expect(await refusal({ recurrence_until: "2026-02-28" })).deep.equal(path("recurrence_until"));
    for (const until of ["2026-03-07", "2027-03-10"])
      expect(await refusal({ recurrence_pause: { from: "2026-03-08", until } })).deep.equal(
        path("recurrence_pause/until"),
      );

    const single = { is_recurring: false };
    expect(await refusal({ ...single, ...skip("2026-03-01") })).deep.equal(path("recurrence_exceptions"));
    expect(await refusal({ ...single, recurrence_until: "2026-03-08" })).deep.equal(path("recurrence_until"));
    expect(await refusal({ ...single, recurrence_pause: { from: "2026-03-08" } })).deep.equal(
      path("recurrence_pause"),
    );
  });
});
