import { expect } from "chai";
import { createEnrolment } from "../../../../actors/identity/enrolment.ts";
import { createSealing } from "../../../../actors/identity/sealing.ts";
import { createMailRequests } from "../../../../actors/mail/mails.ts";
import { createAudit, OPERATOR } from "../../../../store/audit.ts";
import { usersIn } from "../../../../store/mongo/users.ts";
import { movableClock } from "../../../support/clock.ts";
import { MASTER_KEY } from "../../../support/core.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Mailbox, mailboxOf, tokenIn } from "../../../support/mailbox.ts";
import { givenTwoFactor } from "../../../support/two-factor.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { type Account, accountsIn, PASSWORD } from "./account.ts";

const DAY_MS = 86_400_000;
const ANOTHER = "another phrase for specs";
const SWITCHED_ON = /Two-factor authentication of your account was switched on/;

describe("A second factor that the owner didn't switch on", function () {
  this.timeout(60_000);
  const clock = movableClock();
  let world: World;
  let mailbox: Mailbox;
  let accounts: ReturnType<typeof accountsIn>;
  before(async () => {
    world = await openWorld({ clock });
    mailbox = mailboxOf(world);
    accounts = accountsIn(world);
  });
  after(() => world?.close());

  const addressOf = ({ username }: Account) => `${username}@example.com`;
  const linkIn = async (address: string, subject: RegExp) => tokenIn(await mailbox.next(address, subject));
  const undo = (token: string) => world.api.call("undoTwoFactor", { body: { token } });
  const login = ({ username }: Account, password: string) =>
    accounts.bearer.call("login", { body: { login: username, password } });
  const auditedOf = ({ id }: Account, event: string) =>
    world.audited.filter((line) => line.accountId === id && line.event === event);

  async function verified(): Promise<Account> {
    const account = await accounts.account();
    await world.api.ok("verifyEmail", { body: { token: await linkIn(addressOf(account), /Verify/) } });
    return account;
  }
  /** Somebody who knows the password has switched it on; gives back what they have, and the owner's link. */
  async function robbed() {
    const account = await verified();
    const body = { login: account.username, password: PASSWORD };
    const { access_token: token = "" } = await accounts.bearer.ok("login", { body });
    const thief = world.api.as({ token });
    const { recoveryCodes } = await givenTwoFactor(world.core, thief);
    return { account, thief, recoveryCodes, link: await linkIn(addressOf(account), SWITCHED_ON) };
  }
  async function resetByMail(account: Account): Promise<void> {
    const token = await linkIn(addressOf(account), /Reset/);
    await world.api.ok("resetPassword", { body: { token, password: ANOTHER } });
  }

  it("goes with the link of the mail about it, once, also after a reset; whoever else was in is out", async () => {
    const { account, thief, link } = await robbed();
    const apiToken = (await thief.ok("createApiToken", { body: { name: "bot" } })).token ?? "";
    expect((await undo(link)).status).equal(204);

    expect((await login(account, PASSWORD)).code).equal("invalid_credentials");
    expect((await thief.call("getMe")).status).equal(401);
    expect((await world.api.as({ token: apiToken }).call("getMe")).status).equal(401);
    expect(auditedOf(account, "two_factor.disabled")).length(1);
    expect(auditedOf(account, "session.ended").at(-1)).include({ reason: "two_factor_changed" });
    await resetByMail(account);
    expect((await login(account, ANOTHER)).body).include({ requires_2fa: false });
    expect((await undo(link)).code).equal("invalid_token");

    const other = await robbed();
    await world.api.ok("forgotPassword", { body: { email: addressOf(other.account) } });
    await resetByMail(other.account);
    expect((await login(other.account, ANOTHER)).body).include({ requires_2fa: true });
    expect((await undo(other.link)).status).equal(204);
  });

  it("takes the address back that was changed after it", async () => {
    const { account, thief, link } = await robbed();
    const email = `${account.username}@example.net`;
    clock.move(1_000);
    await thief.ok("updateMe", { body: { email, password: PASSWORD } });
    await world.api.ok("verifyEmail", { body: { token: await linkIn(email, /Confirm/) } });

    expect((await undo(link)).status).equal(204);

    await resetByMail(account);
    const { access_token: token = "" } = Object((await login(account, ANOTHER)).body);
    expect(await world.api.as({ token }).ok("getMe")).include({ email: addressOf(account) });
    const restored = world.audited.filter(
      ({ event, userId }) => event === "email.restored" && userId === account.id,
    );
    expect(restored).length(1);
  });

  it("has a link no more when it was switched off, by its owner, by an operator or with an undone address", async () => {
    const { account, thief, recoveryCodes, link } = await robbed();
    await thief.ok("disableTwoFactor", { body: { password: PASSWORD, code: recoveryCodes[0] } });
    await givenTwoFactor(world.core, thief);
    expect((await undo(link)).code).equal("invalid_token");
    expect((await login(account, PASSWORD)).body).include({ requires_2fa: true });
    const newer = await eventually(
      async () => {
        const other = await linkIn(addressOf(account), SWITCHED_ON);
        if (other === link) throw new Error("the second mail hasn't come");
        return other;
      },
      { withinMs: 15_000 },
    );
    expect((await undo(newer)).status).equal(204);

    const staff = await robbed();
    const { mongo } = world.core;
    const sealing = createSealing(MASTER_KEY);
    const mails = createMailRequests({ mongo, clock, sealing });
    const audit = createAudit({ info: () => undefined });
    const enrolment = createEnrolment({ mongo, sealing, mails, audit, clock });
    const user = await usersIn(mongo.db).find(staff.account.id);
    if (!user) throw new Error("the account is missing");
    await enrolment.takeAway(user, OPERATOR);
    await enrolment.giveByOperator(user);
    expect((await undo(staff.link)).code).equal("invalid_token");
    expect((await login(staff.account, PASSWORD)).body).include({ requires_2fa: true });
    const given = await mailbox.next(addressOf(staff.account), /was changed/);
    expect(given.text).not.include("#token=");

    const moved = await robbed();
    const email = `${moved.account.username}@example.net`;
    clock.move(1_000);
    await moved.thief.ok("updateMe", { body: { email, password: PASSWORD } });
    await world.api.ok("verifyEmail", { body: { token: await linkIn(email, /Confirm/) } });
    const token = await linkIn(addressOf(moved.account), /address of your account was changed/);
    await world.api.ok("undoEmailChange", { body: { token } });
    expect((await undo(moved.link)).code).equal("invalid_token");
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
      expect(auditedOf(account, "two_factor.disabled")).length(1);
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
