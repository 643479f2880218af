import { expect } from "chai";
import { OPERATOR } from "../../../../base/audit.ts";
import { DAY_MS } from "../../../../base/durations.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { codeNow, givenTwoFactor } from "../../../support/two-factor.ts";
import { type Account, ANOTHER, addressOf, type MailedWorld, openMailedWorld, PASSWORD } from "./account.ts";

const SWITCHED_ON = /Two-factor authentication was turned on for your account/;

describe("A second factor that the owner didn't switch on", function () {
  this.timeout(60_000);
  const clock = movableClock();
  let world: MailedWorld;
  before(async () => {
    world = await openMailedWorld(clock);
  });
  after(() => world?.close());

  const undo = (token: string) => world.api.call("undoTwoFactor", { body: { token } });
  const login = ({ username }: Account, password: string) =>
    world.accounts.bearer.call("login", { body: { login: username, password } });
  const linesAbout = ({ id }: Account, event: string) =>
    world.audited.filter((line) => line.accountId === id && line.event === event);

  async function verified(): Promise<Account> {
    const account = await world.accounts.account();
    await world.verify(addressOf(account), /Verify/);
    return account;
  }
  /** Somebody who knows the password has switched it on; gives back what they have, and the owner's link. */
  async function robbed() {
    const account = await verified();
    const body = { login: account.username, password: PASSWORD };
    const { access_token: token = "" } = await world.accounts.bearer.ok("login", { body });
    const thief = world.api.as({ token });
    const { recoveryCodes } = await givenTwoFactor(world.core, thief);
    return { account, thief, recoveryCodes, link: await world.linkIn(addressOf(account), SWITCHED_ON) };
  }

  it("goes with the link of the mail about it, once, also after a reset; everybody else is signed out", async () => {
    const { account, thief, link } = await robbed();
    const apiToken = (await thief.ok("createApiToken", { body: { name: "bot" } })).token ?? "";
    expect((await undo(link)).status).equal(204);

    expect((await login(account, PASSWORD)).code).equal("invalid_credentials");
    expect((await thief.call("getMe")).status).equal(401);
    expect((await world.api.as({ token: apiToken }).call("getMe")).status).equal(401);
    expect(linesAbout(account, "two_factor.disabled")).length(1);
    expect(linesAbout(account, "session.ended").at(-1)).include({ reason: "two_factor_changed" });
    await world.resetByLink(addressOf(account));
    expect((await login(account, ANOTHER)).body).include({ requires_2fa: false });
    expect((await undo(link)).code).equal("invalid_token");

    const other = await robbed();
    await world.api.ok("forgotPassword", { body: { email: addressOf(other.account) } });
    await world.resetByLink(addressOf(other.account));
    expect((await login(other.account, ANOTHER)).body).include({ requires_2fa: true });
    expect((await undo(other.link)).status).equal(204);
  });

  it("takes the address back that was changed after it", async () => {
    const { account, thief, link } = await robbed();
    const email = `${account.username}@example.net`;
    clock.move(1_000);
    await thief.ok("updateMe", { body: { email, password: PASSWORD } });
    await world.verify(email, /Confirm/);

    expect((await undo(link)).status).equal(204);

    await world.resetByLink(addressOf(account));
    const { access_token: token = "" } = Object((await login(account, ANOTHER)).body);
    expect(await world.api.as({ token }).ok("getMe")).include({ email: addressOf(account) });
    expect(world.auditedOf("email.restored", account.id)).length(1);
  });

  it("has a link no more when it was switched off, by its owner, by an operator or with an undone address", async () => {
    const { account, thief, recoveryCodes, link } = await robbed();
    await thief.ok("disableTwoFactor", { body: { password: PASSWORD, code: recoveryCodes[0] } });
    await givenTwoFactor(world.core, thief);
    expect((await undo(link)).code).equal("invalid_token");
    expect((await login(account, PASSWORD)).body).include({ requires_2fa: true });
    const newer = await eventually(
      async () => {
        const other = await world.linkIn(addressOf(account), SWITCHED_ON);
        if (other === link) throw new Error("the second mail hasn't come");
        return other;
      },
      { withinMs: 15_000 },
    );
    expect((await undo(newer)).status).equal(204);

    const staff = await robbed();
    const { user, enrolment } = await world.operatorOn(staff.account);
    await enrolment.disable(user, OPERATOR);
    await enrolment.enableByOperator(user);
    expect((await undo(staff.link)).code).equal("invalid_token");
    expect((await login(staff.account, PASSWORD)).body).include({ requires_2fa: true });
    const given = await world.mailbox.next(addressOf(staff.account), /was changed/);
    expect(given.text).not.include("#token=");

    const moved = await robbed();
    const email = `${moved.account.username}@example.net`;
    clock.move(1_000);
    await moved.thief.ok("updateMe", { body: { email, password: PASSWORD } });
    await world.verify(email, /Confirm/);
    const token = await world.linkIn(addressOf(moved.account), /address of your account was changed/);
    await world.api.ok("undoEmailChange", { body: { token } });
    expect((await undo(moved.link)).code).equal("invalid_token");
  });

  it("is switched on as often as mails about it come", async () => {
    const { account, thief, recoveryCodes } = await robbed();
    let [code] = recoveryCodes;
    for (let times = 1; times < 5; times++) {
      await thief.ok("disableTwoFactor", { body: { password: PASSWORD, code } });
      [code] = (await givenTwoFactor(world.core, thief)).recoveryCodes;
    }
    await thief.ok("disableTwoFactor", { body: { password: PASSWORD, code } });
    const { secret } = await thief.ok("setUpTwoFactor");
    const sixth = await thief.call("verifyTwoFactor", { body: { code: codeNow(world.core, { secret }) } });

    expect([sixth.code, Object(sixth.body).details.bucket]).deep.equal([
      "rate_limited",
      "two_factor_changes",
    ]);
    expect((await login(account, PASSWORD)).body).include({ requires_2fa: false });
    await eventually(
      async () => {
        const mails = (await world.mailbox.to(addressOf(account))).filter(({ subject }) =>
          SWITCHED_ON.test(subject),
        );
        return mails.length === 5;
      },
      { withinMs: 15_000 },
    );
  });

  it("goes once when it is undone while it is switched off", async () => {
    for (let round = 0; round < 4; round++) {
      const { account, thief, recoveryCodes, link } = await robbed();

      const [off, undone] = await Promise.all([
        thief.call("disableTwoFactor", { body: { password: PASSWORD, code: recoveryCodes[0] } }),
        undo(link),
      ]);

      expect([off.status, undone.status].filter((status) => status === 204)).length(1);
      if (undone.status !== 204) expect(undone.code).equal("invalid_token");
      expect(linesAbout(account, "two_factor.disabled")).length(1);
      const left = await login(account, PASSWORD);
      expect(left.status).equal(undone.status === 204 ? 401 : 200);
    }
  });

  it("stays when the link is seven days old", async () => {
    const { account, link } = await robbed();
    clock.move(7 * DAY_MS + 1_000);
    expect((await undo(link)).code).equal("invalid_token");
    expect((await login(account, PASSWORD)).body).include({ requires_2fa: true });
  });
});
