import { expect } from "chai";
import { setUpWorld } from "../../../support/set-up-world.ts";
import { givenWeekly, PERIOD } from "./given-weekly.ts";

describe("refusals of weekly entries", () => {
  const { world, given } = setUpWorld();
  const { add, calendar, refusal } = givenWeekly(world, given);

  it("keep the calendar readable: days end with the year 2999, as times do", async () => {
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

  it("name the field of a foreign day, or of what a single entry has none of", async () => {
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
