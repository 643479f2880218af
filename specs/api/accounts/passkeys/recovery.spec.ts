import { expect } from "chai";
import { DAY_MS } from "../../../../base/durations.ts";
import { movableClock } from "../../../support/clock.ts";
import { erased } from "../../../support/erased.ts";
import { givenPasskey, newPasskey, type SoftPasskey } from "../../../support/passkey.ts";
import { givenTwoFactor } from "../../../support/two-factor.ts";
import {
  type Account,
  ANOTHER,
  addressOf,
  type MailedWorld,
  openMailedWorld,
  PASSWORD,
} from "../two-factor/account.ts";

const CHANGED = /ways to log in to your account were changed/;

describe("passkeys of an account that is recovered, deleted or handed out", function () {
  this.timeout(60_000);
  const clock = movableClock();
  let world: MailedWorld;
  before(async () => {
    world = await openMailedWorld(clock);
  });
  after(() => world?.close());

  async function verified(): Promise<Account> {
    const account = await world.accounts.account();
    await world.verify(addressOf(account), /Verify/);
    return account;
  }
  const signIn = async (passkey: SoftPasskey) => {
    const credential = passkey.get(await world.accounts.bearer.ok("startPasskeySignIn"));
    return world.accounts.bearer.call("signInWithPasskey", { body: { credential } });
  };
  /** A thief who knows the password has added a passkey. */
  async function robbed() {
    const account = await verified();
    const body = { login: account.username, password: PASSWORD };
    const { access_token: token = "" } = await world.accounts.bearer.ok("login", { body });
    const thief = world.api.as({ token });
    return { account, thief, passkey: (await givenPasskey(thief)).passkey };
  }

  it("mails a notice of each added and each removed passkey to a verified address alone", async () => {
    const account = await verified();
    const { made } = await givenPasskey(account.api);
    const added = await world.mailbox.next(addressOf(account), CHANGED);
    expect(added.text).include("a passkey was added").and.not.include(made.name);

    await account.api.ok("deletePasskey", { params: { passkey_id: made.id } });
    await world.mailbox.settled();
    const removed = await world.mailbox.next(addressOf(account), CHANGED);
    expect(removed.text).include("a passkey was removed");

    const unverified = await world.accounts.account();
    await givenPasskey(unverified.api);
    await world.mailbox.settled();
    const mails = await world.mailbox.to(addressOf(unverified));
    expect(mails.filter(({ subject }) => CHANGED.test(subject))).deep.equal([]);
  });

  it("mails about a new device that signs in with a passkey", async () => {
    const account = await verified();
    const { passkey } = await givenPasskey(account.api);
    await signIn(passkey);
    expect((await world.mailbox.next(addressOf(account), /A new device logged in/)).text).include(
      account.username,
    );
  });

  it("removes passkeys with a reset of the password", async () => {
    const { account, passkey } = await robbed();
    await world.api.ok("forgotPassword", { body: { email: addressOf(account) } });
    await world.resetByLink(addressOf(account));
    expect((await signIn(passkey)).code).equal("passkey_refused");
  });

  it("removes passkeys with an undone change of address", async () => {
    const { account, thief, passkey } = await robbed();
    const email = `${account.username}@example.net`;
    await thief.ok("updateMe", { body: { email, password: PASSWORD } });
    await world.verify(email, /Confirm/);
    const token = await world.linkIn(addressOf(account), /address of your account was changed/);
    await world.api.ok("undoEmailChange", { body: { token } });
    expect((await signIn(passkey)).code).equal("passkey_refused");
  });

  it("removes passkeys with an undone second factor", async () => {
    const { account, thief, passkey } = await robbed();
    await givenTwoFactor(world.core, thief);
    const token = await world.linkIn(addressOf(account), /authentication was turned on/);
    await world.api.ok("undoTwoFactor", { body: { token } });
    expect((await signIn(passkey)).code).equal("passkey_refused");
  });

  it("adds no passkey by a challenge from before a reset", async () => {
    const { account, thief } = await robbed();
    const credential = newPasskey().create(await thief.ok("startPasskeyRegistration"));
    await world.api.ok("forgotPassword", { body: { email: addressOf(account) } });
    await world.resetByLink(addressOf(account));
    const answer = await thief.call("createPasskey", { body: { name: "His", credential } });
    expect(answer.code).equal("invalid_token");
    const { access_token: token = "" } = await world.accounts.bearer.ok("login", {
      body: { login: account.username, password: ANOTHER },
    });
    expect((await world.api.as({ token }).ok("listPasskeys")).items).deep.equal([]);
  });

  it("restores a deleted account within 30 days, and goes with it after them", async () => {
    const [kept, gone] = [await verified(), await verified()];
    const passkeys = [
      (await givenPasskey(kept.api)).passkey,
      (await givenPasskey(gone.api)).passkey,
    ] as const;
    for (const { api } of [kept, gone]) await api.ok("deleteMe", { body: { password: PASSWORD } });
    clock.move(29 * DAY_MS);
    expect((await signIn(passkeys[0])).status).equal(200);
    expect(world.auditedOf("account.restored", kept.id)).length(1);

    clock.move(2 * DAY_MS);
    expect((await signIn(passkeys[1])).code).equal("passkey_refused");
    await erased(world, gone.id);
    const { db } = world.core.mongo;
    expect(await db.collection("passkeys").countDocuments({ userId: gone.id })).equal(0);
    expect(await db.collection("passkeys").countDocuments({ userId: kept.id })).equal(1);
  });

  it("exports names and dates of passkeys, and no keys", async () => {
    const account = await world.accounts.account();
    const { passkey } = await givenPasskey(account.api);

    const { passkeys } = Object((await account.api.call("exportMe")).body);

    expect(passkeys).length(1);
    expect(passkeys[0]).have.all.keys("name", "created_at", "last_used_at");
    expect(JSON.stringify(passkeys)).not.include(passkey.id);
  });
});
