import { expect } from "chai";
import { setUpWorld } from "../../../support/set-up-world.ts";
import { givenWeekly, MARCH, SUMMER } from "./given-weekly.ts";

describe("a weekly entry", () => {
  const { world, given } = setUpWorld();
  const { add, calendar, change, listed, starts } = givenWeekly(world, given);

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

  it("counts weeks by their old day for its end and pause, wherever they were moved", async () => {
    const past = "2026-04-28T19:00:00.000Z";
    const during = "2026-03-17T20:00:00.000Z";
    await add({
      recurrence_until: "2026-04-05",
      recurrence_pause: { from: "2026-03-15", until: "2026-03-22" },
      recurrence_exceptions: [
        { date: "2026-04-05", moved_to: past },
        { date: "2026-03-08", moved_to: during },
        { date: "2026-03-22", moved_to: "2026-03-26T20:00:00Z" },
      ],
    });

    expect(await starts()).deep.equal([MARCH[0], during, SUMMER[0], past]);
    expect((await listed()).map((one) => one.recurrence_date)).deep.equal([
      "2026-03-01",
      "2026-03-08",
      "2026-03-29",
      "2026-04-05",
    ]);
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
});
