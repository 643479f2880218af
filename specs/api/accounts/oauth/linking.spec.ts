import { expect } from "chai";
import { OPERATOR } from "../../../../base/audit.ts";
import { eventually } from "../../../support/eventually.ts";
import { mailboxOf, tokenIn } from "../../../support/mailbox.ts";
import { givenTwoFactor } from "../../../support/two-factor.ts";
import { HOME, newName, type OpenedOauth, openOauth, PASSWORD } from "./open-oauth.ts";

describe("whose account a provider's word opens", () => {
  let o: OpenedOauth;
  before(async () => {
    o = await openOauth({ sendsMails: true });
  });
  after(() => o?.close());

  /** Signed in in that browser, by password. */
  async function login(username: string) {
    const by = o.browser();
    const { status } = await o.send(by, "POST", "/v1/auth/login", { login: username, password: PASSWORD });
    expect(status).equal(200);
    return by;
  }

  it("is found by an address that both have verified, once; later by the person alone", async () => {
    const account = await o.withPassword(true);
    const there = o.there(o.one, { email: account.email.toUpperCase(), email_verified: true });
    const by = o.browser();

    expect(await o.signIn(by, o.one, there)).deep.equal({ page: HOME, fragment: {} });
    expect(await o.whoIs(by)).equal(account.username);
    expect(o.world.auditedOf("oauth.linked", account.id)[0]).include({ provider: "one", how: "address" });

    o.one.people.set(there, { email: `${newName()}@example.org`, email_verified: true });
    const again = o.browser();
    await o.signIn(again, o.one, there);
    expect(await o.whoIs(again)).equal(account.username);
  });

  it("is never found by an address that the provider hasn't verified", async () => {
    const account = await o.withPassword(true);

    for (const email_verified of [false, undefined]) {
      const doc = email_verified === undefined ? {} : { email_verified };
      const by = o.browser();
      const { fragment } = await o.signIn(by, o.one, o.there(o.one, { email: account.email, ...doc }));
      expect(fragment.error).equal("username_required");
      const made = await o.complete(by, o.one, fragment.completion_token, { username: newName() });
      expect(made.code).equal("email_taken");
      expect(await o.whoIs(by)).equal(null);
    }
    expect((await account.api.ok("listLinkedProviders")).total).equal(0);
  });

  it("is never found by an address that the account here hasn't verified, until a reset by mail has", async () => {
    const stranger = await o.withPassword(false);
    const owner = o.there(o.one, { email: stranger.email, email_verified: true });
    // What a stranger prepares, to come back by it.
    const body = await o.one.nativeCode(o.there(o.one));
    await stranger.api.ok("linkProvider", { params: { provider: "app" }, body });
    const by = o.browser();

    const refused = await o.signIn(by, o.one, owner);
    expect(refused.fragment).deep.equal({ error: "email_unverified" });
    expect(await o.whoIs(by)).equal(null);

    await o.world.api.ok("forgotPassword", { body: { email: stranger.email } });
    const token = tokenIn(await mailboxOf(o.world).next(stranger.email, "Reset your password"));
    await o.world.api.ok("resetPassword", { body: { token, password: "a password of the owner alone" } });
    expect((await stranger.api.call("getMe")).code).equal("invalid_token");

    await o.signIn(by, o.one, owner);
    expect(await o.whoIs(by)).equal(stranger.username);
    const linked = await o.send(by, "GET", "/v1/users/me/oauth");
    expect(Object(linked.body).total).equal(1);
  });

  it("is never staff's by an address", async () => {
    const account = await o.withPassword(true);
    await o.world.core.staff.setStaff(account.username, true, OPERATOR);
    const by = o.browser();

    const there = o.there(o.one, { email: account.email, email_verified: true });
    expect((await o.signIn(by, o.one, there)).fragment).deep.equal({ error: "email_taken" });
  });

  it("is never by an address one that asks for a second factor", async () => {
    const account = await o.withPassword(true);
    await givenTwoFactor(o.world.core, account.api);
    const by = o.browser();

    const there = o.there(o.one, { email: account.email, email_verified: true });
    expect((await o.signIn(by, o.one, there)).fragment).deep.equal({ error: "email_taken" });
    expect((await account.api.ok("listLinkedProviders")).total).equal(0);
  });

  it("stays shut when it is banned", async () => {
    const by = o.browser();
    const { login: there, id } = await o.newcomer(by, o.one);
    await o.world.core.accountBans.ban(id, OPERATOR);

    const { fragment } = await o.signIn(o.browser(), o.one, there);

    expect(fragment.error).equal("account_banned");
    expect(fragment.appeal_token).a("string");
  });

  it("is appealed for by an address also where a second factor keeps it from being linked", async () => {
    const account = await o.withPassword(true);
    await givenTwoFactor(o.world.core, account.api);
    await o.world.core.accountBans.ban(account.id, OPERATOR);
    const there = o.there(o.one, { email: account.email, email_verified: true });

    expect((await o.signIn(o.browser(), o.one, there)).fragment).include({ error: "account_banned" });
  });

  it("is appealed for by an address alone only where both have verified it", async () => {
    for (const isVerified of [true, false]) {
      const account = await o.withPassword(isVerified);
      await o.world.core.accountBans.ban(account.id, OPERATOR);
      const there = o.there(o.one, { email: account.email, email_verified: true });

      const { fragment } = await o.signIn(o.browser(), o.one, there);

      if (isVerified) expect(fragment).include({ error: "account_banned", subject_type: "ban" });
      else expect(fragment).deep.equal({ error: "email_unverified" });
      expect("appeal_token" in fragment).equal(isVerified);
    }
  });

  it("asks who gave no address for one, which is then to be verified", async () => {
    const by = o.browser();
    const { fragment } = await o.signIn(by, o.one, o.there(o.one));
    expect(fragment.email).equal("required");

    const none = await o.complete(by, o.one, fragment.completion_token, { username: newName() });
    expect(none.code).equal("validation_failed");
    const email = `${newName()}@example.org`;
    const made = await o.complete(by, o.one, fragment.completion_token, { username: newName(), email });
    expect(Object(made.body.user).email).equal(email);
    expect(Object(made.body.user)).not.have.property("email_verified");
  });

  it("is linked in a browser by its owner, and unlinked", async () => {
    const account = await o.withPassword(true);
    const by = await login(account.username);
    const there = o.there(o.two);

    const begun = await o.send(by, "POST", "/v1/users/me/oauth/two/start", {});
    const back = await by.approve(String(begun.body.authorization_url), there);
    expect(await o.arrive(by, back)).deep.equal({ page: HOME, fragment: { linked: "two" } });

    const other = o.browser();
    await o.signIn(other, o.two, there);
    expect(await o.whoIs(other)).equal(account.username);
    const third = o.browser();
    await o.signIn(third, o.two, there);
    // What that provider began, but the one that asks.
    expect((await o.send(other, "DELETE", "/v1/users/me/oauth/two")).status).equal(204);
    expect(await Promise.all([by, other, third].map(o.whoIs))).deep.equal([
      ...[account.username, account.username],
      null,
    ]);
    const [ended] = o.world.auditedOf("session.ended", account.id);
    expect(ended).include({ reason: "removed", accountId: account.id });
    expect((await o.send(by, "DELETE", "/v1/users/me/oauth/two")).status).equal(404);
    expect((await o.signIn(o.browser(), o.two, there)).fragment.error).equal("username_required");
    expect(o.world.auditedOf("oauth.unlinked", account.id).length).equal(1);
    const subject = "The ways to log in to your account were changed";
    await eventually(
      async () => {
        const mails = await mailboxOf(o.world).to(account.email);
        return mails.filter((mail) => mail.subject === subject).length === 2;
      },
      { withinMs: 15_000, what: "both changes are mailed" },
    );
  });

  it("isn't linked once the session that began it has ended, nor in another browser", async () => {
    const account = await o.withPassword(true);
    const by = await login(account.username);
    const begun = await o.send(by, "POST", "/v1/users/me/oauth/two/start", {});
    const back = await by.approve(String(begun.body.authorization_url), o.there(o.two));
    expect((await o.arrive(o.browser(), back)).fragment).deep.equal({ error: "oauth_failed" });

    const second = await o.send(by, "POST", "/v1/users/me/oauth/two/start", {});
    const late = await by.approve(String(second.body.authorization_url), o.there(o.two));
    await o.send(by, "POST", "/v1/auth/logout");
    expect((await o.arrive(by, late)).fragment).deep.equal({ error: "invalid_token" });
    expect((await account.api.ok("listLinkedProviders")).total).equal(0);
  });

  it("has one person of a provider, who has one account", async () => {
    const [one, two] = [await o.withPassword(true), await o.withPassword(true)];
    const there = o.there(o.one);
    const params = { provider: "app" };
    await one.api.ok("linkProvider", { params, body: await o.one.nativeCode(there) });

    const again = await one.api.call("linkProvider", { params, body: await o.one.nativeCode(there) });
    const another = await one.api.call("linkProvider", {
      params,
      body: await o.one.nativeCode(o.there(o.one)),
    });
    const others = await two.api.call("linkProvider", { params, body: await o.one.nativeCode(there) });

    expect([again.status, another.code, others.code]).deep.equal([200, "already_linked", "identity_taken"]);
  });

  it("keeps its last way in beside a provider that isn't configured any more, whose link can go", async () => {
    const by = o.browser();
    const { id: userId } = await o.newcomer(by, o.one);
    const gone = { issuer: "https://gone.example", providerId: "gone", linkedAt: new Date() };
    const unlink = (provider: string) => o.send(by, "DELETE", `/v1/users/me/oauth/${provider}`);
    await o.world.core.mongo.db
      .collection<{ _id: string; userId: string }>("oauth_identities")
      .insertOne({ _id: newName(), userId, ...gone });

    expect((await unlink("one")).code).equal("last_sign_in");
    expect((await unlink("gone")).status).equal(204);
    expect((await unlink("gone")).code).equal("not_found");
    expect((await unlink("one")).code).equal("last_sign_in");
  });

  it("keeps its last way in, also when two are ended at once", async () => {
    const by = o.browser();
    await o.newcomer(by, o.one);
    expect((await o.send(by, "DELETE", "/v1/users/me/oauth/one")).code).equal("last_sign_in");

    const begun = await o.send(by, "POST", "/v1/users/me/oauth/two/start", {});
    await o.arrive(by, await by.approve(String(begun.body.authorization_url), o.there(o.two)));
    const both = await Promise.all(
      ["one", "two"].map((provider) => o.send(by, "DELETE", `/v1/users/me/oauth/${provider}`)),
    );

    expect(both.map(({ status }) => status).sort()).deep.equal([204, 409]);
  });
});
