import { expect } from "chai";
import { DAY_MS } from "../../../../base/durations.ts";
import { movableClock } from "../../../support/clock.ts";
import { givenTwoFactor, signInAgain } from "../../../support/two-factor.ts";
import { type Account, ANOTHER, addressOf, type MailedWorld, openMailedWorld, PASSWORD } from "./account.ts";

describe("A second factor, when the owner of the address comes by mail", function () {
  this.timeout(60_000);
  const clock = movableClock();
  let world: MailedWorld;
  before(async () => {
    world = await openMailedWorld(clock);
  });
  after(() => world?.close());

  const forgetAndReset = async (account: Account) => {
    await world.api.ok("forgotPassword", { body: { email: addressOf(account) } });
    await world.resetByLink(addressOf(account));
  };
  const signIn = ({ username }: Account) =>
    world.accounts.bearer.ok("login", { body: { login: username, password: ANOTHER } });
  /** Its address is another one, which was proven; gives back the link to undo that. */
  async function moved(account: Account): Promise<string> {
    const email = `${account.username}@example.net`;
    await account.api.ok("updateMe", { body: { email, password: PASSWORD } });
    await world.verify(email, /Confirm/);
    return world.linkIn(addressOf(account), /address of your account was changed/);
  }

  it("goes with a reset when it came in force before the address was proven", async () => {
    const stranger = await world.accounts.protectedAccount();
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
    const stranger = await world.accounts.protectedAccount();
    await world.verify(addressOf(stranger), /Verify/);
    await forgetAndReset(stranger);

    expect(await signIn(stranger)).include({ requires_2fa: false });
  });

  it("isn't put in force any more by a set-up that waited", async () => {
    const stranger = await world.accounts.account();
    const setUp = await stranger.api.ok("setUpTwoFactor");
    await forgetAndReset(stranger);

    const { access_token: token = "" } = await signIn(stranger);
    const owner = world.api.as({ token });
    const body = { code: world.accounts.codeOf(setUp) };
    expect((await owner.call("verifyTwoFactor", { body })).code).equal("invalid_state");
  });

  it("stays with a reset of a proven account, also after the address was changed", async () => {
    const owner = await world.accounts.account();
    await world.verify(addressOf(owner), /Verify/);
    const { recoveryCodes } = await givenTwoFactor(world.core, owner.api);
    await forgetAndReset(owner);

    const { two_factor_token, requires_2fa } = await signIn(owner);
    expect(requires_2fa).equal(true);
    const { body } = await world.accounts.finish(two_factor_token ?? "", recoveryCodes[0] ?? "");
    const api = world.api.as({ token: String(Object(body).access_token) });
    clock.move(1_000);
    const email = `${owner.username}@example.net`;
    await api.ok("updateMe", { body: { email, password: ANOTHER } });
    await world.verify(email, /Confirm/);
    await world.api.ok("forgotPassword", { body: { email } });
    await world.resetByLink(email);
    expect(await signIn(owner)).include({ requires_2fa: true });
  });

  it("stays with a reset when an operator gave it", async () => {
    const staff = await world.accounts.account();
    const { user, enrolment } = await world.operatorOn(staff);
    await enrolment.enableByOperator(user);
    await forgetAndReset(staff);

    expect(await signIn(staff)).include({ requires_2fa: true });
  });

  it("goes with an undone change of address when it came in force since, or seven days before, and stays when it is older", async () => {
    const made = await world.accounts.account();
    await world.verify(addressOf(made), /Verify/);
    const authenticator = await givenTwoFactor(world.core, made.api);
    clock.move(7 * DAY_MS + 1_000);
    const body = { login: made.username, password: PASSWORD };
    const older = {
      ...made,
      api: world.api.as({ token: await signInAgain(world.api, body, authenticator) }),
    };
    const [before, since] = [await world.accounts.account(), await world.accounts.account()];
    for (const account of [before, since]) await world.verify(addressOf(account), /Verify/);
    await givenTwoFactor(world.core, before.api);
    clock.move(1_000);
    const links = [await moved(older), await moved(before), await moved(since)];
    clock.move(1_000);
    await givenTwoFactor(world.core, since.api);
    for (const token of links) await world.api.ok("undoEmailChange", { body: { token } });

    for (const account of [older, before, since]) await world.resetByLink(addressOf(account));
    expect(await signIn(older)).include({ requires_2fa: true });
    for (const account of [before, since]) expect(await signIn(account)).include({ requires_2fa: false });
  });
});
