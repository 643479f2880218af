import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { movableClock } from "../../../support/clock.ts";
import type { Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";
import { SUNDAYS } from "./sundays.ts";

describe("a channel's schedule", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  let owner: Person;
  beforeEach(async () => {
    owner = await given.user();
  });

  const add = (body: object) => owner.api.ok("createScheduleEntry", { body });
  const list = async (from: string, to: string) => {
    const query = { from, to, per_page: "100" };
    return (await world.api.ok("listSchedule", { params: { username: owner.username }, query })).items;
  };
  const startsOf = async (from: string, to: string) => (await list(from, to)).map((one) => one.starts_at);
  async function refusal(body: object) {
    const { code, details } = await owner.api.call("createScheduleEntry", { body });
    return [code, Object(details.errors)[0]?.path];
  }

  it("has an entry once for one Idempotency-Key, and one for each without, however many come at once", async () => {
    const body = { title: "Friday night", starts_at: "2026-03-27T19:00:00Z" };
    const keyed = (key: string, more = {}) =>
      owner.api.call("createScheduleEntry", {
        body: { ...body, ...more },
        headers: { "idempotency-key": key },
      });

    const answers = await Promise.all([keyed("k1"), keyed("k1")]);
    const again = await keyed("k1");

    expect([...answers, again].map(({ status }) => status)).deep.equal([201, 201, 201]);
    expect(new Set([...answers, again].map((answer) => Object(answer.body).id)).size).equal(1);
    expect((await keyed("k1", { title: "Saturday" })).code).equal("idempotency_conflict");
    const many = await Promise.all(
      Array.from({ length: 30 }, () => owner.api.call("createScheduleEntry", { body })),
    );
    expect(many.map(({ status }) => status)).deep.equal(Array(30).fill(201));
    expect(await startsOf("2026-03-27T00:00:00Z", "2026-03-28T00:00:00Z")).length(31);
  });

  it("is listed to its owner with each entry once, also where it is paused for good", async () => {
    const weekly = await add({ ...SUNDAYS, recurrence_pause: { from: "2026-01-01" } });
    const earlier = await add({ title: "Friday night", starts_at: "2020-03-27T19:00:00Z" });
    const { items, total } = await owner.api.ok("listMySchedule");
    expect(items).deep.equal([earlier, weekly]);
    expect(total).equal(2);
    expect((await world.api.call("listMySchedule")).code).equal("auth_required");
  });

  it("is shown also by a process that doesn't know the time zone of an entry", async () => {
    const { id } = await add(SUNDAYS);
    const entries = world.core.mongo.db.collection<{ _id: string }>("schedule");
    await entries.updateOne({ _id: id }, { $set: { timeZone: "Mars/Phobos" } });
    expect(await startsOf("2026-03-28T00:00:00Z", "2026-03-31T00:00:00Z")).deep.equal([
      "2026-03-29T19:00:00.000Z",
    ]);
  });

  it("has each week of an entry at the same time of its clock, also when that changes", async () => {
    const made = await add(SUNDAYS);
    expect(made).include({ recurrence_weekday: 0, is_recurring: true, time_zone: "Europe/London" });

    const spring = await list("2026-03-20T00:00:00Z", "2026-04-06T00:00:00Z");
    expect(spring.map((one) => [one.id, one.starts_at, one.ends_at])).deep.equal([
      [made.id, "2026-03-22T19:00:00.000Z", "2026-03-22T21:00:00.000Z"],
      [made.id, "2026-03-29T18:00:00.000Z", "2026-03-29T20:00:00.000Z"],
      [made.id, "2026-04-05T18:00:00.000Z", "2026-04-05T20:00:00.000Z"],
    ]);
    expect(await startsOf("2031-10-20T00:00:00Z", "2031-11-03T00:00:00Z")).deep.equal([
      "2031-10-26T19:00:00.000Z",
      "2031-11-02T19:00:00.000Z",
    ]);
  });

  it("answers not_found for the schedule of a banned owner", async () => {
    await add(SUNDAYS);
    const period = ["2026-03-20T00:00:00Z", "2026-04-06T00:00:00Z"] as const;
    expect(await list(...period)).length(3);
    await usersCollection
      .in(world.core.mongo.db)
      .updateOne({ _id: owner.id }, { $set: { status: "banned" } });

    const params = { username: owner.username };
    for (const operation of ["listSchedule", "getScheduleCalendar"] as const)
      expect((await world.api.call(operation, { params })).code).equal("not_found");
  });

  it("has a week whose time the clock leaves out an hour later, and those after it at their time", async () => {
    await add({ ...SUNDAYS, starts_at: "2026-03-22T01:30:00Z", ends_at: null });

    expect(await startsOf("2026-03-28T00:00:00Z", "2026-04-06T00:00:00Z")).deep.equal([
      "2026-03-29T01:30:00.000Z",
      "2026-04-05T00:30:00.000Z",
    ]);
  });

  it("has what is on at the edges of the requested times, in order, from now on for four weeks by itself", async () => {
    const day = 86_400_000;
    const at = (ms: number) => new Date(world.clock.now() + ms).toISOString();
    await add({ title: "in five weeks", starts_at: at(35 * day) });
    await add({ title: "over", starts_at: at(-day), ends_at: at(-1) });
    await add({ title: "tomorrow", starts_at: at(day) });
    await add({ title: "running", starts_at: at(-day), ends_at: at(1_000) });

    const { items } = await world.api.ok("listSchedule", { params: { username: owner.username } });

    expect(items.map(({ title }) => title)).deep.equal(["running", "tomorrow"]);
    expect(items[1]).include({
      is_recurring: false,
      recurrence_weekday: null,
      time_zone: "UTC",
      ends_at: null,
    });
    shows("default ScheduleEntry.is_recurring");
  });

  it("comes weekly on the days from Sunday, 0, to Saturday, 6, and on no other", async () => {
    const weekly = { title: "weekly", starts_at: "2026-03-21T12:00:00Z", is_recurring: true };

    for (const recurrence_weekday of [-1, 7]) {
      expect(await refusal({ ...weekly, recurrence_weekday })).deep.equal([
        "validation_failed",
        "/body/recurrence_weekday",
      ]);
    }
    for (const [starts_at, recurrence_weekday] of [
      ["2026-03-21T12:00:00Z", 6],
      ["2026-03-22T12:00:00Z", 0],
    ] as const) {
      expect(await add({ ...weekly, starts_at, recurrence_weekday })).include({ recurrence_weekday });
    }
  });

  it("takes a zone by its name, an end behind the start, and the weekday of the start there", async () => {
    const late = { title: "late", starts_at: "2026-03-22T23:30:00Z", is_recurring: true };

    expect(await refusal({ ...late, time_zone: "Mars/Olympus" })).deep.equal([
      "validation_failed",
      "/body/time_zone",
    ]);
    expect(await refusal({ ...late, time_zone: "+02:00" })).deep.equal([
      "validation_failed",
      "/body/time_zone",
    ]);
    for (const ends_at of [late.starts_at, "2026-03-29T23:30:01Z"]) {
      expect(await refusal({ ...late, ends_at })).deep.equal(["validation_failed", "/body/ends_at"]);
    }
    const inBerlin = { ...late, time_zone: "Europe/Berlin" };
    expect(await refusal({ ...inBerlin, recurrence_weekday: 0 })).deep.equal([
      "validation_failed",
      "/body/recurrence_weekday",
    ]);
    expect(await refusal({ ...late, starts_at: "2016-12-31T23:59:60Z" })).deep.equal([
      "validation_failed",
      "/body/starts_at",
    ]);
    // Beyond them a year has another number of figures on some clock.
    for (const starts_at of ["1969-12-31T23:59:59Z", "9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00Z"]) {
      expect(await refusal({ title: "far", starts_at })).deep.equal(["validation_failed", "/body/starts_at"]);
    }
    expect(await refusal({ ...late, category_id: newId() })).deep.equal(["not_found", undefined]);
    expect((await add({ ...inBerlin, recurrence_weekday: 1 })).recurrence_weekday).equal(1);
    for (const [from, to] of [
      ["2026-03-22T00:00:00Z", "2026-03-22T00:00:00Z"],
      ["2026-03-22T00:00:00Z", "2026-06-22T00:00:01Z"],
      ["9999-12-01T00:00:00Z", "9999-12-02T00:00:00Z"],
    ]) {
      const query = { from: String(from), to: String(to) };
      const answer = await world.api.call("listSchedule", { params: { username: owner.username }, query });
      expect(answer.code).equal("validation_failed");
    }
  });

  it("changes the given fields and nothing else, by its owner alone", async () => {
    const { id: entry_id } = await add(SUNDAYS);
    const at = { params: { entry_id } };
    const stranger = await given.user();

    const changed = await owner.api.ok("updateScheduleEntry", {
      ...at,
      body: { title: "Sundays, later", ends_at: null },
    });
    expect(changed).include({
      title: "Sundays, later",
      starts_at: "2026-03-22T19:00:00.000Z",
      ends_at: null,
    });
    const bad = await owner.api.call("updateScheduleEntry", {
      ...at,
      body: { ends_at: "2026-03-22T18:00:00Z" },
    });
    expect(bad.code).equal("validation_failed");
    expect((await stranger.api.call("updateScheduleEntry", { ...at, body: { title: "mine" } })).code).equal(
      "not_found",
    );
    expect((await stranger.api.call("deleteScheduleEntry", at)).code).equal("not_found");

    await owner.api.ok("deleteScheduleEntry", at);
    expect(await startsOf("2026-03-20T00:00:00Z", "2026-04-06T00:00:00Z")).deep.equal([]);
    expect((await owner.api.call("deleteScheduleEntry", at)).code).equal("not_found");
  });

  it("has a hundred entries at most, however many are added at once", async () => {
    for (let i = 0; i < 96; i++) await add({ title: `e${i}`, starts_at: SUNDAYS.starts_at });

    const answers = await Promise.all(
      [...Array(8).keys()].map((i) =>
        owner.api.call("createScheduleEntry", { body: { title: `f${i}`, starts_at: SUNDAYS.starts_at } }),
      ),
    );

    expect(answers.filter(({ status }) => status === 201)).length(4);
    expect(new Set(answers.flatMap(({ code }) => code ?? []))).deep.equal(new Set(["limit_reached"]));
    expect(await list("2026-03-22T00:00:00Z", "2026-03-23T00:00:00Z")).length(100);
    const query = { from: "2026-03-22T00:00:00Z", to: "2026-03-23T00:00:00Z", page: "5" };
    const last = await world.api.ok("listSchedule", { params: { username: owner.username }, query });
    expect(last).include({ page: 5, per_page: 24, total: 100, has_more: false });
    expect(last.items).length(4);
  });
});
