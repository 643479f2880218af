import { expect } from "chai";
import { createEnrolment } from "../../../../actors/identity/enrolment.ts";
import { createSealing } from "../../../../actors/identity/sealing.ts";
import { createMailRequests } from "../../../../actors/mail/mails.ts";
import { createAudit } from "../../../../store/audit.ts";
import { usersIn } from "../../../../store/mongo/users.ts";
import { movableClock } from "../../../support/clock.ts";
import { MASTER_KEY } from "../../../support/core.ts";
import { type Mailbox, mailboxOf, tokenIn } from "../../../support/mailbox.ts";
import { givenTwoFactor, signInAgain } from "../../../support/two-factor.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { type Account, accountsIn, PASSWORD } from "./account.ts";

const DAY_MS = 86_400_000;
const ANOTHER = "another phrase for specs";

describe("A second factor, when the owner of the address comes by mail", function () {
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
  const verify = async (address: string, subject: RegExp) => {
    const body = { token: tokenIn(await mailbox.next(address, subject)) };
    await world.api.ok("verifyEmail", { body });
  };
  const resetByLink = async (address: string) => {
    const body = { token: tokenIn(await mailbox.next(address, /Reset/)), password: ANOTHER };
    await world.api.ok("resetPassword", { body });
  };
  const forgetAndReset = async (account: Account) => {
    await world.api.ok("forgotPassword", { body: { email: addressOf(account) } });
    await resetByLink(addressOf(account));
  };
  const signIn = ({ username }: Account) =>
    accounts.bearer.ok("login", { body: { login: username, password: ANOTHER } });
  /** Its address is another one, which was proven; gives back the link to undo that. */
  async function moved(account: Account): Promise<string> {
    const email = `${account.username}@example.net`;
    await account.api.ok("updateMe", { body: { email, password: PASSWORD } });
    await verify(email, /Confirm/);
    return tokenIn(await mailbox.next(addressOf(account), /address of your account was changed/));
  }

  it("goes with a reset when it came in force before the address was proven", async () => {
    const stranger = await accounts.protectedAccount();
    await forgetAndReset(stranger);

    const owner = await signIn(stranger);
    expect(owner).include({ requires_2fa: false });
    const ofFactor = world.audited.filter(
      ({ event, accountId }) => accountId === stranger.id && /^two_factor/.test(String(event)),
    );
    expect(ofFactor.map(({ event }) => event)).deep.equal(["two_factor.enabled", "two_factor.disabled"]);
    // And the owner sets up another.
    await givenTwoFactor(world.core, world.api.as({ token: owner.access_token ?? "" }));
  });

  it("goes also when the owner verified the address since, not knowing whose account it was", async () => {
    const stranger = await accounts.protectedAccount();
    await verify(addressOf(stranger), /Verify/);
    await forgetAndReset(stranger);

    expect(await signIn(stranger)).include({ requires_2fa: false });
  });

  it("isn't put in force any more by a set-up that waited", async () => {
    const stranger = await accounts.account();
    const setUp = await stranger.api.ok("setUpTwoFactor");
    await forgetAndReset(stranger);

    const { access_token: token = "" } = await signIn(stranger);
    const owner = world.api.as({ token });
    const body = { code: accounts.codeOf(setUp) };
    expect((await owner.call("verifyTwoFactor", { body })).code).equal("invalid_state");
  });

  it("stays with a reset of a proven account, also after the address was changed", async () => {
    const owner = await accounts.account();
    await verify(addressOf(owner), /Verify/);
    const { recoveryCodes } = await givenTwoFactor(world.core, owner.api);
    await forgetAndReset(owner);

    const { two_factor_token, requires_2fa } = await signIn(owner);
    expect(requires_2fa).equal(true);
    const { body } = await accounts.finish(two_factor_token ?? "", recoveryCodes[0] ?? "");
    const api = world.api.as({ token: String(Object(body).access_token) });
    clock.move(1_000);
    const email = `${owner.username}@example.net`;
    await api.ok("updateMe", { body: { email, password: ANOTHER } });
    await verify(email, /Confirm/);
    await world.api.ok("forgotPassword", { body: { email } });
    await resetByLink(email);
    expect(await signIn(owner)).include({ requires_2fa: true });
  });

  it("stays with a reset when an operator gave it", async () => {
    const staff = await accounts.account();
    const { mongo } = world.core;
    const sealing = createSealing(MASTER_KEY);
    const audit = createAudit({ info: () => undefined });
    const mails = createMailRequests({ mongo, clock, sealing });
    const user = await usersIn(mongo.db).find(staff.id);
    if (!user) throw new Error("the account is missing");
    await createEnrolment({ mongo, sealing, mails, audit, clock }).giveByOperator(user);
    await forgetAndReset(staff);

    expect(await signIn(staff)).include({ requires_2fa: true });
  });

  it("goes with an undone change of address when it came in force since, or seven days before, and stays when it is older", async () => {
    const made = await accounts.account();
    await verify(addressOf(made), /Verify/);
    const authenticator = await givenTwoFactor(world.core, made.api);
    clock.move(7 * DAY_MS + 1_000);
    const body = { login: made.username, password: PASSWORD };
    const older = {
      ...made,
      api: world.api.as({ token: await signInAgain(world.api, body, authenticator) }),
    };
    const [before, since] = [await accounts.account(), await accounts.account()];
    for (const account of [before, since]) await verify(addressOf(account), /Verify/);
    await givenTwoFactor(world.core, before.api);
    clock.move(1_000);
    const links = [await moved(older), await moved(before), await moved(since)];
    clock.move(1_000);
    await givenTwoFactor(world.core, since.api);
    for (const token of links) await world.api.ok("undoEmailChange", { body: { token } });

    for (const account of [older, before, since]) await resetByLink(addressOf(account));
    expect(await signIn(older)).include({ requires_2fa: true });
    for (const account of [before, since]) expect(await signIn(account)).include({ requires_2fa: false });
  });
});
