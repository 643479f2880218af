import { expect } from "chai";
import { DAY_MS } from "../../../base/durations.ts";
import { reportsCollection } from "../../../store/mongo/safety/reports.ts";
import type { Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("what staff see of the queues and of what led to a case", () => {
  const { world, given } = setUpWorld();
  let staffed: GivenStaff;
  let staff: Person;
  before(async () => {
    staffed = givenStaff(world, given);
    staff = await staffed.staff();
  });

  const report = (by: Person, target_id: string, more: object = {}) =>
    by.api.ok("createReport", {
      body: { target_type: "user", target_id, reason_code: "spam", ...more },
    });
  const handle = (report_id: string, action: "claim" | "dismiss") =>
    staff.api.ok("handleReport", { params: { report_id }, body: { action } });
  const queues = () => staff.api.ok("getStaffQueues");

  it("count what waits, what is claimed and what was decided, and say since when the oldest waits", async () => {
    const [target, reporter] = [await given.user(), await given.user()];
    const before = await queues();
    await report(reporter, target.id);
    const caseId = await staffed.caseOf(target.id);
    const waiting = (await queues()).reports;
    await handle(caseId, "claim");
    const claimed = (await queues()).reports;
    await handle(caseId, "dismiss");
    const after = (await queues()).reports;

    expect(waiting.waiting).equal(before.reports.waiting + 1);
    expect(waiting.oldest_at).a("string");
    expect(claimed.claimed).equal(before.reports.claimed + 1);
    expect(after).include({
      waiting: before.reports.waiting,
      claimed: before.reports.claimed,
      decided_last_day: before.reports.decided_last_day + 1,
    });
  });

  it("filter cases by kind of target and by reason, oldest first where that is asked for", async () => {
    const reporter = await given.user();
    const [first, second] = [await given.channel(), await given.channel()];
    await report(reporter, first.at.stream_id, { target_type: "stream", reason_code: "other" });
    await report(reporter, second.at.stream_id, { target_type: "stream", reason_code: "self_harm" });

    // Other specs report streams to the same queue.
    const own = [first, second].map(({ at }) => at.stream_id);
    const list = async (query: object) =>
      (await staff.api.ok("listReports", { query: { target_type: "stream", per_page: 100, ...query } })).items
        .map(({ target_id }) => target_id)
        .filter((id) => own.includes(id));

    expect(await list({})).deep.equal([second.at.stream_id, first.at.stream_id]);
    expect(await list({ sort: "oldest" })).deep.equal([first.at.stream_id, second.at.stream_id]);
    expect(await list({ reason_code: "other" })).deep.equal([first.at.stream_id]);
    expect(await list({ target_type: "clip" })).deep.equal([]);
  });

  it("show the target as it was when it was reported, though its owner has changed it since", async () => {
    const [target, one, other] = [await given.user(), await given.user(), await given.user()];
    await target.api.ok("updateMe", { body: { bio: "Insults" } });
    await report(one, target.id);
    await target.api.ok("updateMe", { body: { bio: "Kind words" } });
    await report(other, target.id);

    const params = { report_id: await staffed.caseOf(target.id) };
    const found = await staff.api.ok("getReport", { params });

    expect(found.snapshot?.text).equal("Insults");
    expect(found.reports?.map(({ snapshot }) => snapshot?.text)).deep.equal(["Kind words", "Insults"]);
  });

  it("show what links and search engines were given when a profile was reported", async () => {
    const [target, one, other] = [await given.user(), await given.user(), await given.user()];
    await target.api.ok("updateMe", { body: { social_links: { website: "https://bad.example/" } } });
    await report(one, target.id);
    await target.api.ok("updateMe", { body: { social_links: { website: "https://kind.example/" } } });
    await report(other, target.id);

    const params = { report_id: await staffed.caseOf(target.id) };
    const found = await staff.api.ok("getReport", { params });

    expect(found.snapshot).deep.include({ social_links: { website: "https://bad.example/" }, seo_tags: {} });
    expect(found.reports?.map(({ snapshot }) => snapshot?.social_links.website)).deep.equal([
      "https://kind.example/",
      "https://bad.example/",
    ]);
  });

  it("show the picture of a channel and what it had planned when it was reported", async () => {
    const [{ owner, at }, one, other] = [await given.channel(), await given.user(), await given.user()];
    const { stream_id } = at;
    const thumbnail_url = "https://pictures.example/bad.jpg";
    const plan = (title: string, days: number) =>
      owner.api.ok("createScheduleEntry", {
        body: { title, starts_at: new Date(world.clock.now() + days * DAY_MS).toISOString() },
      });
    await owner.api.ok("updateMyStream", { body: { thumbnail_url } });
    const { id: entry_id } = await plan("You fools", 2);
    await plan("Fools, again", 60);
    await report(one, stream_id, { target_type: "stream" });
    await owner.api.ok("updateMyStream", { body: { thumbnail_url: null } });
    await owner.api.ok("deleteScheduleEntry", { params: { entry_id } });
    await report(other, stream_id, { target_type: "stream" });

    const params = { report_id: await staffed.caseOf(stream_id) };
    const { snapshot, reports } = await staff.api.ok("getReport", { params });

    expect(snapshot).deep.include({ text: "Fools, again\nYou fools", image_url: thumbnail_url });
    expect(reports?.[0]?.snapshot).deep.include({ text: "Fools, again", image_url: null });
  });

  it("show what a later report kept, where the first one is of a release that kept nothing", async () => {
    const [target, one, other] = [await given.user(), await given.user(), await given.user()];
    await report(one, target.id);
    await reportsCollection
      .in(world.core.mongo.db)
      .updateOne({ targetId: target.id }, { $unset: { snapshot: "", subjectUserId: "" } });
    await target.api.ok("updateMe", { body: { bio: "Insults" } });
    await report(other, target.id);

    const params = { report_id: await staffed.caseOf(target.id) };
    const found = await staff.api.ok("getReport", { params });

    expect(found.snapshot?.text).equal("Insults");
    expect(found.reports?.map(({ snapshot }) => snapshot?.text ?? null)).deep.equal(["Insults", null]);
  });

  it("list an account's cases and bans with who decided, newest first", async () => {
    const [target, one, other] = [await given.user(), await given.user(), await given.user()];
    const params = { account_id: target.id };
    await report(one, target.id);
    const first = await staffed.caseOf(target.id);
    await handle(first, "claim");
    await handle(first, "dismiss");
    await report(other, target.id);
    await staff.api.ok("banAccount", { params, body: { reason: "Insults" } });
    await staff.api.ok("unbanAccount", { params });
    await staff.api.ok("banAccount", { params, body: { reason: "Again" } });

    const cases = (await staff.api.ok("listUserReports", { params })).items;
    const bans = (await staff.api.ok("listAccountBans", { params })).items;

    expect(cases.map(({ status, decided_by }) => [status, decided_by?.id])).deep.equal([
      ["open", undefined],
      ["dismissed", staff.id],
    ]);
    expect(bans.map(({ reason, by, lifted_by }) => [reason, by?.id, lifted_by?.id])).deep.equal([
      ["Again", staff.id, undefined],
      ["Insults", staff.id, staff.id],
    ]);
    expect((await staff.api.ok("getUser", { params })).session_count).equal(0);
  });

  it("tell an account itself whether it is staff", async () => {
    expect((await staff.api.ok("getMe")).is_staff).equal(true);
    expect((await (await given.user()).api.ok("getMe")).is_staff).equal(false);
  });
});
