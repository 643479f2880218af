import { expect } from "chai";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import type { Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { mailboxOf, tokenIn } from "../../support/mailbox.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { givenTwoFactor } from "../../support/two-factor.ts";

const PASSWORD = "a long phrase for specs";
const ANOTHER = "eleven owls above the mill";

describe("A deleted account", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ sendsMails: true });
  let staffed: GivenStaff;
  let staff: Person;
  before(async () => {
    staffed = givenStaff(world, given);
    staff = await staffed.staff();
  });

  const on = ({ id }: Person) => ({ params: { account_id: id } });
  const users = () => usersCollection.in(world.core.mongo.db);
  const statusOf = async ({ id }: Person) => (await users().findOne({ _id: id }))?.status;
  const ban = (person: Person) =>
    staff.api.call("banAccount", { ...on(person), body: { reason: "Insults" } });
  const strike = (person: Person) =>
    staff.api.call("giveStrike", { ...on(person), body: { reason: "Insults" } });
  const login = ({ username }: Person, password = PASSWORD) =>
    world.api.with({ "x-auth-mode": "bearer" }).call("login", { body: { login: username, password } });

  async function deleted(): Promise<Person> {
    const user = await given.user();
    await user.api.ok("deleteMe", { body: { password: PASSWORD } });
    return user;
  }

  async function expectBannedOnceBack(user: Person): Promise<void> {
    expect(await statusOf(user)).equal("deleted");
    const refused = await login(user);
    expect(refused).include({ status: 403, code: "account_banned" });
    expect(refused.details.appeal_token).a("string");
    expect(await statusOf(user)).equal("banned");
  }

  it("is banned, and comes back as banned", async () => {
    const user = await deleted();

    const { status, body } = await ban(user);

    expect(status).equal(200);
    expect((await ban(user)).body, "twice is once").deep.equal(body);
    expect(await staff.api.ok("getUser", on(user))).deep.include({ ban: body, status: "deleted" });
    await expectBannedOnceBack(user);
    await staff.api.ok("unbanAccount", on(user));
    expect((await login(user)).status).equal(200);
  });

  it("is given the means to appeal when it comes back as banned by a second factor", async () => {
    const user = await given.user();
    const { recoveryCodes } = await givenTwoFactor(world.core, user.api);
    await user.api.ok("deleteMe", { body: { password: PASSWORD } });
    await ban(user);
    const { two_factor_token } = Object((await login(user)).body);

    const body = { two_factor_token, code: recoveryCodes[0] ?? "" };
    const refused = await world.api.with({ "x-auth-mode": "bearer" }).call("finishLogin", { body });

    expect(refused).include({ status: 403, code: "account_banned" });
    expect(refused.details).have.keys("appeal_token", "subject_type", "subject_id", "reason");
    expect(await statusOf(user)).equal("banned");
  });

  it("comes back as banned by a reset of the password too", async () => {
    const user = await deleted();
    await ban(user);
    const email = `${user.username}@example.com`;
    await world.api.ok("forgotPassword", { body: { email } });
    const token = tokenIn(await mailboxOf(world).next(email, /Reset/));

    await world.api.ok("resetPassword", { body: { token, password: ANOTHER } });

    expect(await statusOf(user)).equal("banned");
    expect((await login(user, ANOTHER)).code).equal("account_banned");
  });

  it("stays deleted when its ban is lifted, and comes back as if there had been none", async () => {
    const user = await deleted();
    await ban(user);

    await staff.api.ok("unbanAccount", on(user));

    expect(await statusOf(user)).equal("deleted");
    expect((await login(user)).status).equal(200);
  });

  it("takes strikes, the third of which bans it, until fewer are left", async () => {
    const user = await deleted();
    const given = [await strike(user), await strike(user), await strike(user)];
    expect(given.map(({ status }) => status)).deep.equal([201, 201, 201]);
    await expectBannedOnceBack(user);
    const params = { account_id: user.id, strike_id: String(Object(given[0]?.body).id) };
    await staff.api.ok("revokeStrike", { params });
    expect((await login(user)).status).equal(200);
  });

  it("is struck and banned by what staff do about a report", async () => {
    const channel = await given.channel();
    for (const measures of [["account_ban"], ["strike", "account_ban"]]) {
      const [author, reporter] = [await given.user(), await given.user()];
      const uuid = await staffed.message(channel, author, "You are all fools");
      const target = { target_type: "chat_message" as const, target_id: uuid };
      await reporter.api.ok("createReport", { body: { ...target, reason_code: "harassment" } });
      await author.api.ok("deleteMe", { body: { password: PASSWORD } });
      const params = { report_id: await staffed.caseOf(uuid) };
      await staff.api.ok("handleReport", { params, body: { action: "claim" } });

      const act = { action: "act", measures: measures.map((type) => ({ type, reason: "Insults" })) };
      await staff.api.ok("handleReport", { params, body: act });

      await expectBannedOnceBack(author);
      const { live_strikes } = await staff.api.ok("getUser", on(author));
      expect(live_strikes).equal(measures.length - 1);
    }
  });

  it("isn't there any more once it is being erased", async () => {
    const user = await deleted();
    await users().updateOne({ _id: user.id }, { $set: { "deletion.erasedAs": "somebody" } });

    expect([(await ban(user)).code, (await strike(user)).code]).deep.equal(["not_found", "not_found"]);
  });
});
