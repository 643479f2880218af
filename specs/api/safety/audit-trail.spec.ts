// @waits: for runs of the sweeps.
import { expect } from "chai";
import { UnknownOutcome } from "../../../base/failures/mongo.ts";
import { auditEntriesCollection } from "../../../store/mongo/safety/audit-entries.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { type Given, givenChannels, type Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { openWorld, type World } from "../../support/world.ts";

describe("What staff do", function () {
  this.timeout(60_000);
  const clock = movableClock();
  let stores: Stores;
  let world: World;
  let given: Given;
  let staffed: GivenStaff;
  let staff: Person;

  before(async () => {
    stores = await openStores();
    world = await openWorld({ clock, stores: async () => stores });
    given = givenChannels(world);
    staffed = givenStaff(world, given);
    staff = await staffed.staff();
  });
  after(() => world.close());

  const linesOf = (accountId: string) =>
    world.audited.filter((line) => line.accountId === accountId).map(({ event }) => event);
  const entries = () => auditEntriesCollection.in(stores.mongo.db).countDocuments();
  const rowsOf = async (caseId: string) =>
    (await staff.api.ok("listStaffLog", { query: { about: caseId, event: "report.handled" } })).items;
  const on = (person: Person) => ({ params: { account_id: person.id } });
  const strike = (person: Person) =>
    staff.api.call("giveStrike", { ...on(person), body: { reason: "Insults" } });

  /** A user, and the case of a report about them. */
  async function reported(): Promise<{ target: Person; caseId: string }> {
    const [target, reporter] = [await given.user(), await given.user()];
    const about = { target_type: "user", target_id: target.id, reason_code: "hate" };
    await reporter.api.ok("createReport", { body: about });
    return { target, caseId: await staffed.caseOf(target.id) };
  }

  /** From now on until `restore`, commits happen and nobody learns of it. */
  function loseCommits(): () => void {
    const { client } = stores.mongo;
    const start = client.startSession.bind(client);
    client.startSession = (options) => {
      const session = start(options);
      const commit = session.commitTransaction.bind(session);
      session.commitTransaction = async () => {
        await commit();
        throw new UnknownOutcome("a commit wasn't answered in time");
      };
      return session;
    };
    return () => {
      client.startSession = start;
    };
  }

  /** Once, however long nobody comes to it. */
  async function expectOnce(accountId: string, events: string[]): Promise<void> {
    clock.move(30_000);
    await eventually(() => linesOf(accountId).length >= events.length, { withinMs: 10_000 });
    await eventually(async () => (await entries()) === 0, { withinMs: 10_000 });
    expect(linesOf(accountId).sort()).deep.equal(events.sort());
  }

  it("is in the audit log once, and nothing of it is left to be written", async () => {
    const user = await given.user();
    expect((await strike(user)).status).equal(201);
    expect(linesOf(user.id)).deep.equal(["strike.given"]);
    await expectOnce(user.id, ["strike.given"]);
  });

  it("is there once also when nobody learnt that it was committed", async () => {
    const user = await given.user();
    const restore = loseCommits();
    const { status } = await strike(user);
    restore();
    expect(status).equal(503);
    expect(linesOf(user.id)).deep.equal([]);

    await expectOnce(user.id, ["strike.given"]);
  });

  it("is there with a ban that was lifted before anybody came to write it", async () => {
    const user = await given.user();
    const restore = loseCommits();
    await staff.api.call("banAccount", { ...on(user), body: { reason: "Insults" } });
    restore();
    await staff.api.ok("unbanAccount", on(user));

    await expectOnce(user.id, ["account.banned", "account.unbanned"]);
  });

  it("about a report is there when its process died after it, and isn't when it was refused or never came to it", async () => {
    const { target, caseId } = await reported();
    const handle = (action: string) =>
      staff.api.call("handleReport", { params: { report_id: caseId }, body: { action } });
    expect((await handle("release")).status).equal(409);
    expect((await handle("claim")).status).equal(200);

    const { auditTrail, reports } = world.core;
    const setOut = async (action: "release" | "claim", key: string) => {
      const fields = { reportId: caseId, accountId: target.id, action, measures: "" };
      const evidence = reports.keyOf({ staffId: staff.id, key }, action);
      await auditTrail.intend(evidence, "report.handled", { userId: staff.id, origin: null }, fields);
    };
    await setOut("release", "dies after it");
    await reports.release({ caseId, staffId: staff.id, key: "dies after it" });
    await setOut("claim", "dies before it");

    await expectOnce(target.id, ["report.handled", "report.handled"]);
    const actions = world.audited.filter(({ reportId }) => reportId === caseId).map(({ action }) => action);
    expect(actions).deep.equal(["claim", "release"]);
    expect((await rowsOf(caseId)).map(({ action }) => action)).deep.equal(["release", "claim"]);
  });

  it("about a report has its row though its process stalled until a sweep took it for one that never happened", async () => {
    const { target, caseId } = await reported();
    const { auditTrail, reports } = world.core;
    const fields = { reportId: caseId, accountId: target.id, action: "claim", measures: "" };
    const evidence = reports.keyOf({ staffId: staff.id, key: "its process stalls" }, "claim");
    const by = { userId: staff.id, origin: null };
    const intended = await auditTrail.intend(evidence, "report.handled", by, fields);

    clock.move(31_000);
    await auditTrail.sweep();
    await reports.claim({ caseId, staffId: staff.id, key: "its process stalls" });
    intended.done();
    await auditTrail.idle();

    expect((await rowsOf(caseId)).map(({ action }) => action)).deep.equal(["claim"]);
  });

  it("about a report has its row, of that time, though an older release's sweep takes its line", async () => {
    const { target, caseId } = await reported();
    const { auditTrail, reports } = world.core;
    const fields = { reportId: caseId, accountId: target.id, action: "claim", measures: "" };
    const evidence = reports.keyOf({ staffId: staff.id, key: "its process dies" }, "claim");
    const at = new Date(clock.now()).toISOString();
    await auditTrail.intend(evidence, "report.handled", { userId: staff.id, origin: null }, fields);
    await reports.claim({ caseId, staffId: staff.id, key: "its process dies" });

    await auditEntriesCollection.in(stores.mongo.db).deleteMany({ evidence });
    clock.move(60_000);
    await auditTrail.sweep();

    const rows = await rowsOf(caseId);
    expect(rows.map(({ action, created_at }) => [action, created_at])).deep.equal([["claim", at]]);
  });
});
