import { expect } from "chai";
import { OPERATOR } from "../../../../base/audit.ts";
import type { SessionDoc } from "../../../../store/mongo/accounts/sessions.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { givenTwoFactor } from "../../../support/two-factor.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { accountsIn, PASSWORD } from "./account.ts";

describe("Staff without a second factor", () => {
  let world: World;
  let accounts: ReturnType<typeof accountsIn>;

  before(async () => {
    world = await openWorld({ clock: movableClock() });
    accounts = accountsIn(world);
  });
  after(() => world?.close());

  async function unprotectedStaff() {
    const account = await accounts.account();
    await world.core.staff.setStaff(account.username, true, OPERATOR);
    return account;
  }

  it("may set it up and act then, in that session, and not any more once it is off", async () => {
    const { id, api } = await unprotectedStaff();
    expect(await api.call("listReports")).include({ status: 403, code: "two_factor_required" });

    const { recoveryCodes } = await givenTwoFactor(world.core, api);

    expect((await api.call("listReports")).status).equal(200);
    await eventually(() => world.core.staff.isKnownStaff(id));
    await api.ok("disableTwoFactor", { body: { password: PASSWORD, code: recoveryCodes[0] } });
    expect((await api.call("listReports")).code).equal("two_factor_required");
    await eventually(() => !world.core.staff.isKnownStaff(id));
  });

  it("are nobody special in a channel", async () => {
    const staff = await unprotectedStaff();
    const [owner, viewer] = [await accounts.account(), await accounts.account()];
    const stream = await owner.api.ok("getMyStream");
    const at = { stream_id: stream.id };
    const ban = () => staff.api.call("banUser", { params: { ...at, user_id: viewer.id } });

    expect((await ban()).code).equal("forbidden");
    expect((await staff.api.ok("getChatRoom", { params: at })).role).equal(null);
    await givenTwoFactor(world.core, staff.api);
    expect((await ban()).status).equal(200);
  });

  it("don't act in a session that has had one factor alone, whatever the account has", async () => {
    const { id, api } = await unprotectedStaff();
    await givenTwoFactor(world.core, api);
    const sessions = world.core.mongo.db.collection<SessionDoc>("sessions");
    await sessions.updateOne({ userId: id, endedAt: null }, { $set: { secondFactor: false } });

    expect((await api.call("listReports")).code).equal("two_factor_required");
  });

  it("aren't distinguished from anybody by those who aren't staff", async () => {
    const { api } = await accounts.protectedAccount();
    expect((await api.call("listReports")).code).equal("forbidden");
  });
});
