import { expect } from "chai";
import { HOUR_MS } from "../../../base/durations.ts";
import { shows } from "../../../contract/coverage/shows.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("Reports", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });
  let staffed: GivenStaff;
  let staff: Person;
  let other: Person;
  let channel: Channel;

  before(async () => {
    staffed = givenStaff(world, given);
    [staff, other, channel] = [await staffed.staff(), await staffed.staff(), await given.channel()];
  });

  const about = (person: Person, reason_code = "spam") => ({
    body: { target_type: "user", target_id: person.id, reason_code },
  });
  const handle = (who: Person, report_id: string, body: object) =>
    who.api.call("handleReport", { params: { report_id }, body });
  const claimed = async (targetId: string) => {
    const report_id = await staffed.caseOf(targetId);
    await staff.api.ok("handleReport", { params: { report_id }, body: { action: "claim" } });
    return report_id;
  };

  it("of one target by several people are one entry of the queue, with the worst reason", async () => {
    const [target, one, two] = [await given.user(), await given.user(), await given.user()];

    const first = await one.api.ok("createReport", {
      body: { ...about(target, "spam").body, details: "Sells things" },
    });
    const second = await two.api.ok("createReport", about(target, "hate"));
    const anonymous = await world.api.ok("createReport", about(target, "other"));

    const entry = await staff.api.ok("getReport", { params: { report_id: await staffed.caseOf(target.id) } });
    expect(first).deep.include({ reason_code: "spam", status: "open", details: "Sells things" });
    expect(first.reporter?.id).equal(one.id);
    expect(anonymous.reporter).equal(null);
    shows("absent Report.reporter");
    expect(entry).deep.include({
      reason_code: "hate",
      report_count: 3,
      status: "open",
      details: "Sells things",
    });
    expect(entry.subject?.id).equal(target.id);
    expect(entry.reports?.map(({ id }) => id)).deep.equal([anonymous.id, second.id, first.id]);
    const all = await staff.api.ok("listCaseReports", { params: { report_id: second.id } });
    expect(all.items).deep.equal(entry.reports);
  });

  it("finds the entry of a report for staff by the id that its reporter was shown", async () => {
    const [target, one, two] = [await given.user(), await given.user(), await given.user()];
    const shown = [
      (await one.api.ok("createReport", about(target, "spam"))).id,
      (await two.api.ok("createReport", about(target, "spam"))).id,
      (await world.api.ok("createReport", about(target, "spam"))).id,
    ];
    const id = await staffed.caseOf(target.id);

    for (const report_id of shown) {
      expect((await staff.api.ok("getReport", { params: { report_id } })).id).equal(id);
      for (const action of ["claim", "release"])
        expect((await handle(staff, report_id, { action })).body).include({ id });
      const { items } = await staff.api.ok("getReportHistory", { params: { report_id } });
      expect(items).not.deep.equal([]);
    }
    const handled = world
      .auditedOf("report.handled", staff.id)
      .filter(({ accountId }) => accountId === target.id);
    expect(new Set(handled.map(({ reportId }) => reportId))).deep.equal(new Set([id]));
    const read = world.auditedOf("staff.read", staff.id).map(({ ids }) => ids);
    expect(read).include(`report_id=${shown[0]} id=${id}`);
  });

  it("of the same reporter and target are one while it is undecided, and for 24 hours", async () => {
    const [target, reporter] = [await given.user(), await given.user()];
    const [first] = await Promise.all([1, 2, 3].map(() => reporter.api.ok("createReport", about(target))));
    if (!first) throw new Error("somebody reports");

    const again = await Promise.all(
      [1, 2, 3].map(() => reporter.api.ok("createReport", about(target, "hate"))),
    );
    clock.move(10 * 60_000);
    const report_id = await claimed(target.id);
    await handle(staff, report_id, { action: "dismiss" });
    const afterwards = await reporter.api.ok("createReport", about(target));

    expect(again).deep.equal([first, first, first]);
    expect(afterwards).deep.equal({ ...first, status: "dismissed" });
    expect((await staff.api.ok("getReport", { params: { report_id } })).report_count).equal(1);
    const { items } = await reporter.api.ok("listMyReports");
    expect(items).deep.equal([{ ...first, status: "dismissed" }]);

    clock.move(24 * HOUR_MS);
    const signedIn = await given.signedInAgain(reporter);
    const later = await signedIn.api.ok("createReport", about(target));
    expect(later.id).not.equal(first.id);
    expect(await staffed.caseOf(target.id)).not.equal(report_id);
    [staff, other] = [await given.signedInAgain(staff), await given.signedInAgain(other)];
    channel = { ...channel, owner: await given.signedInAgain(channel.owner) };
  });

  it("are for any of the reasons, and for no other", async () => {
    const [target, reporter] = [await given.user(), await given.user()];
    const reasons = "spam harassment hate sexual_content violence self_harm illegal other".split(" ");
    for (const reason_code of reasons) {
      const who = reason_code === "spam" ? reporter : await given.user();
      expect(await who.api.ok("createReport", about(target, reason_code))).include({ reason_code });
    }
    expect((await reporter.api.call("createReport", about(target, "boring"))).code).equal(
      "validation_failed",
    );
  });

  it("that come at once make one entry and are all in it", async () => {
    const target = await given.user();
    const people = await Promise.all(Array.from({ length: 8 }, () => given.user()));

    await Promise.all(people.map(({ api }) => api.ok("createReport", about(target))));

    const cases = world.core.mongo.db.collection("report_cases");
    expect(await cases.countDocuments({ targetId: target.id })).equal(1);
    const entry = await staff.api.ok("getReport", { params: { report_id: await staffed.caseOf(target.id) } });
    expect([entry.report_count, entry.reports?.length]).deep.equal([8, 8]);
  });

  it("need a target that there is and that isn't one's own", async () => {
    const reporter = await given.user();
    const mine = await reporter.api.ok("getMyStream");
    const code = async (target_type: string, target_id: string) =>
      (await reporter.api.call("createReport", { body: { target_type, target_id, reason_code: "spam" } }))
        .code;

    expect(await code("user", reporter.id)).equal("self_target");
    expect(await code("stream", mine.id)).equal("self_target");
    expect(await code("user", mine.id)).equal("not_found");
    expect(await code("stream", "nothing of the kind")).equal("not_found");
    expect(await code("chat_message", mine.id)).equal("not_found");
    expect(await code("clip", "c1")).equal("not_found");
  });

  it("come in the order of reason, number and age", async () => {
    const people = await Promise.all([1, 2, 3, 4].map(() => given.user()));
    const [spam, hate, manySpam, olderHate] = [
      await given.user(),
      await given.user(),
      await given.user(),
      await given.user(),
    ];
    await people[0]?.api.ok("createReport", about(olderHate, "hate"));
    clock.move(1_000);
    await people[0]?.api.ok("createReport", about(spam));
    await people[0]?.api.ok("createReport", about(hate, "hate"));
    for (const { api } of people) await api.ok("createReport", about(manySpam));

    const { items } = await staff.api.ok("listReports", { query: { per_page: 100 } });

    const mine = [spam, hate, manySpam, olderHate].map(({ id }) => id);
    const order = items.map(({ target_id }) => target_id).filter((id) => mine.includes(id));
    // Four times spam is worth two reasons more, which is hate's; the older comes first.
    expect(order).deep.equal([olderHate.id, hate.id, manySpam.id, spam.id]);
  });

  it("are claimed by one, released by hand or after 30 minutes, and decided by the claimer alone", async () => {
    const [target, reporter] = [await given.user(), await given.user()];
    await reporter.api.ok("createReport", about(target));
    const report_id = await staffed.caseOf(target.id);
    const code = async (who: Person, body: object) => (await handle(who, report_id, body)).code;

    expect(await code(staff, { action: "dismiss" })).equal("not_claimed");
    const claims = await Promise.all(
      [staff, other].map((who) => handle(who, report_id, { action: "claim" })),
    );
    expect(claims.map(({ status }) => status).sort()).deep.equal([200, 409]);
    const [winner, loser] = claims[0]?.status === 200 ? [staff, other] : [other, staff];
    expect(await code(loser, { action: "claim" })).equal("invalid_state");
    expect(await code(loser, { action: "dismiss" })).equal("not_claimed");
    expect(await code(loser, { action: "release" })).equal("not_claimed");
    const held = await staff.api.ok("getReport", { params: { report_id } });
    expect([held.status, held.claimed_by?.id]).deep.equal(["reviewing", winner.id]);

    expect(await code(winner, { action: "release" })).equal(null);
    expect(await code(loser, { action: "claim" })).equal(null);
    clock.move(30 * 60_000);
    [staff, other] = [await given.signedInAgain(staff), await given.signedInAgain(other)];
    expect(await code(loser.id === staff.id ? staff : other, { action: "dismiss" })).equal("not_claimed");
    expect(await code(staff, { action: "claim" })).equal(null);
    expect(await code(staff, { action: "dismiss", note: "Nothing to it" })).equal(null);
    expect(await code(staff, { action: "claim" })).equal("invalid_state");

    await eventually(async () => {
      const { items } = await staff.api.ok("getReportHistory", { params: { report_id } });
      expect(items.map(({ event, from, to, detail }) => [event, from, to, detail])).deep.equal([
        ["create", null, "open", null],
        ["claim", "open", "reviewing", null],
        ["release", "reviewing", "open", null],
        ["claim", "open", "reviewing", null],
        ["timer", "reviewing", "open", null],
        ["claim", "open", "reviewing", null],
        ["dismiss", "reviewing", "dismissed", "telling"],
        ["settle", "dismissed", "dismissed", "told"],
      ]);
      return true;
    });
    channel = { ...channel, owner: await given.signedInAgain(channel.owner) };
  });

  it("can't be claimed by whom they are about", async () => {
    const reporter = await given.user();
    await reporter.api.ok("createReport", about(other));

    const answer = await handle(other, await staffed.caseOf(other.id), { action: "claim" });

    expect(answer.code).equal("forbidden");
  });

  it("can't be claimed or decided by who made one of them", async () => {
    const [target, reporter] = [await given.user(), await given.user()];
    await reporter.api.ok("createReport", about(target));
    const report_id = await claimed(target.id);
    await other.api.ok("createReport", about(target));
    const code = async (who: Person, body: object) => (await handle(who, report_id, body)).code;
    await staff.api.ok("createReport", about(target));

    expect(await code(staff, { action: "dismiss" })).equal("forbidden");
    expect(await code(staff, { action: "claim" })).equal("forbidden");
    expect(await code(staff, { action: "release" })).equal(null);
    expect(await code(other, { action: "claim" })).equal("forbidden");
    const third = await staffed.staff();
    expect(await code(third, { action: "claim" })).equal(null);
    expect(await code(third, { action: "dismiss" })).equal(null);
  });

  it("say with what measures they are acted on", async () => {
    const [target, reporter] = [await given.user(), await given.user()];
    await reporter.api.ok("createReport", about(target));
    const report_id = await claimed(target.id);
    const code = async (body: object) => (await handle(staff, report_id, body)).code;
    const act = (...measures: object[]) => code({ action: "act", measures });
    const warning = { type: "warning", reason: "Be kind" };

    expect(await code({ action: "act" })).equal("validation_failed");
    expect(await act(warning, warning)).equal("validation_failed");
    expect(await act({ ...warning, duration_seconds: 5 })).equal("validation_failed");
    expect(await act({ type: "chat_ban", reason: "Shouting" })).equal("validation_failed");
    // A user's report has no room of its own.
    expect(await act({ type: "chat_ban", reason: "Shouting", duration_seconds: 5 })).equal("not_found");
    expect(await code({ action: "claim", note: "Mine" })).equal("validation_failed");
    expect(await code({ action: "dismiss", measures: [warning] })).equal("validation_failed");
    const { stream } = await given.channel();
    const there = { type: "chat_ban", reason: "Shouting", duration_seconds: 5, stream_id: stream.id };
    expect(await act(warning, there)).equal(null);
    const { items } = await staff.api.ok("getReportHistory", { params: { report_id } });
    const states = items.map(({ to }) => to).filter((to, n, all) => to !== all[n - 1]);
    expect(states).deep.equal(["open", "reviewing", "actioned"]);
  });

  it("of staff end in no ban and no strike", async () => {
    const [target, reporter] = [await staffed.staff(), await given.user()];
    await reporter.api.ok("createReport", about(target));
    const report_id = await claimed(target.id);

    for (const type of ["strike", "account_ban"])
      expect(
        (await handle(staff, report_id, { action: "act", measures: [{ type, reason: "So" }] })).code,
      ).equal("forbidden");
    expect((await target.api.call("getMe")).status).equal(200);
    expect((await staff.api.ok("getReport", { params: { report_id } })).status).equal("reviewing");
  });
});
