import { expect } from "chai";
import { setUpWorld } from "../../../support/set-up-world.ts";
import { givenWeekly } from "./given-weekly.ts";

describe("changes of a weekly entry", () => {
  const { world, given } = setUpWorld();
  const { add, calendar, change, refusal, starts } = givenWeekly(world, given);

  it("name the sent field by which the entry would begin after its end", async () => {
    const { id } = await add({ recurrence_until: "2026-03-01" });
    const later = { starts_at: "2026-03-08T20:00:00Z", ends_at: null };

    expect(await refusal(later, id)).deep.equal(["validation_failed", "/body/starts_at"]);
    // It is Monday there.
    expect(await refusal({ time_zone: "Asia/Tokyo" }, id)).deep.equal([
      "validation_failed",
      "/body/time_zone",
    ]);
    expect(await refusal({ ...later, recurrence_until: "2026-03-02" }, id)).deep.equal([
      "validation_failed",
      "/body/recurrence_until",
    ]);
  });

  it("keep its end, pause and exceptions, but for weeks that it lost", async () => {
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

  it("work on an entry as an earlier release stored it, with a name that only Node has", async () => {
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
});
