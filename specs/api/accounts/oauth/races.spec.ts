import { expect } from "chai";
import { OPERATOR } from "../../../../base/audit.ts";
import { type UserDoc, usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { mailboxOf, tokenIn } from "../../../support/mailbox.ts";
import { afterNextRead } from "./interposed-read.ts";
import { newName, type OpenedOauth, openOauth, PASSWORD } from "./open-oauth.ts";

describe("a sign-in by a provider, beside what ends its reason", () => {
  let o: OpenedOauth;
  before(async () => {
    o = await openOauth({ sendsMails: true });
  });
  after(() => o?.close());

  const active = (userId: string) =>
    o.world.core.mongo.db.collection("sessions").countDocuments({ userId, endedAt: null });
  const links = (userId: string) =>
    o.world.core.mongo.db.collection("oauth_identities").countDocuments({ userId });

  /** What the owner of the address does with the link in the mail. */
  async function resetOf(email: string) {
    await o.world.api.ok("forgotPassword", { body: { email } });
    const token = tokenIn(await mailboxOf(o.world).next(email, "Reset your password"));
    const body = { token, password: "a password of the owner alone" };
    return () => o.world.api.ok("resetPassword", { body });
  }

  for (const read of ["oauth_identities", "users"]) {
    it(`leaves a stranger no session when the owner resets the password after the read of ${read}`, async () => {
      const account = await o.withPassword(true);
      const stranger = o.there(o.one);
      const params = { provider: "app" };
      await account.api.ok("linkProvider", { params, body: await o.one.nativeCode(stranger) });
      const reset = await resetOf(account.email);
      const by = o.browser();
      const back = await o.wayBack(by, o.one, stranger);

      const wasBetween = afterNextRead(read, account.id, reset);
      const { fragment } = await o.arrive(by, back);

      expect(wasBetween()).equal(true);
      expect(fragment).deep.equal({ error: "invalid_token" });
      expect(await o.whoIs(by)).equal(null);
      expect([await links(account.id), await active(account.id)]).deep.equal([0, 0]);
    });
  }

  it("leaves none either in an account that had no password until the reset", async () => {
    const [owner, by] = [o.browser(), o.browser()];
    const email = `${o.there(o.one)}@example.org`;
    const { login, id } = await o.newcomer(owner, o.one, { email });
    const reset = await resetOf(email);
    const back = await o.wayBack(by, o.one, login);

    const wasBetween = afterNextRead("users", id, reset);
    const { fragment } = await o.arrive(by, back);

    expect([wasBetween(), fragment.error]).deep.equal([true, "invalid_token"]);
    expect(await active(id)).equal(0);
  });

  it("leaves no session when its owner unlinks the provider meanwhile", async () => {
    const account = await o.withPassword(true);
    const there = o.there(o.one);
    const params = { provider: "app" };
    await account.api.ok("linkProvider", { params, body: await o.one.nativeCode(there) });
    const by = o.browser();
    const back = await o.wayBack(by, o.one, there);

    const wasBetween = afterNextRead("users", account.id, () => account.api.ok("unlinkProvider", { params }));
    const { fragment } = await o.arrive(by, back);

    expect([wasBetween(), fragment.error]).deep.equal([true, "invalid_token"]);
    expect([await links(account.id), await active(account.id)]).deep.equal([0, 1]);
  });

  it("makes no link that was requested when the password is reset right after the look at the session", async () => {
    const account = await o.withPassword(true);
    const by = o.browser();
    const body = { login: account.username, password: PASSWORD };
    await o.send(by, "POST", "/v1/auth/login", body);
    const begun = await o.send(by, "POST", "/v1/users/me/oauth/two/start", {});
    const back = await by.approve(String(begun.body.authorization_url), o.there(o.two));
    const reset = await resetOf(account.email);

    const wasBetween = afterNextRead("sessions", account.id, reset);
    const { fragment } = await o.arrive(by, back);

    expect([wasBetween(), fragment.error]).deep.equal([true, "oauth_failed"]);
    expect([await links(account.id), await active(account.id)]).deep.equal([0, 0]);
  });

  const changes: Record<string, Partial<UserDoc>> = {
    "has another address": { emailKey: `${newName()}@example.org` },
    "hasn't proven its address": { emailVerifiedAt: null },
    "has another password": { passwordHash: "another" },
    "is staff": { isStaff: true },
    "has a second factor": { twoFactorEnabledAt: new Date() },
    "is deleted": { status: "deleted" },
  };
  for (const [what, $set] of Object.entries(changes)) {
    it(`links no account found by its address that ${what} by then`, async () => {
      const account = await o.withPassword(true);
      const there = o.there(o.one, { email: account.email, email_verified: true });
      const by = o.browser();
      const back = await o.wayBack(by, o.one, there);
      const users = usersCollection.in(o.world.core.mongo.db);

      const wasBetween = afterNextRead("users", account.id, () =>
        users.updateOne({ _id: account.id }, { $set }),
      );
      const { fragment } = await o.arrive(by, back);

      expect([wasBetween(), fragment.error]).deep.equal([true, "oauth_failed"]);
      expect(await links(account.id)).equal(0);
    });
  }

  it("opens no account found by its address that is unbanned meanwhile", async () => {
    for (const isVerified of [false, true]) {
      const account = await o.withPassword(isVerified);
      await o.world.core.accountBans.ban(account.id, OPERATOR);
      const there = o.there(o.one, { email: account.email, email_verified: true });
      const by = o.browser();
      const back = await o.wayBack(by, o.one, there);

      const wasBetween = afterNextRead("users", account.id, () =>
        o.world.core.accountBans.unban(account.id, OPERATOR),
      );
      const { fragment } = await o.arrive(by, back);

      const expected = isVerified ? "account_banned" : "email_unverified";
      expect([wasBetween(), fragment.error]).deep.equal([true, expected]);
      expect([await links(account.id), await active(account.id)]).deep.equal([0, 0]);
    }
  });
});
