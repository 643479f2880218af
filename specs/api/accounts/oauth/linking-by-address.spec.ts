import { expect } from "chai";
import { mailboxOf, tokenIn } from "../../../support/mailbox.ts";
import { newName, type OpenedOauth, openOauth, PASSWORD } from "./open-oauth.ts";

describe("linking a provider by the address", () => {
  let o: OpenedOauth;
  before(async () => {
    o = await openOauth({ sendsMails: true });
  });
  after(() => o?.close());

  const mailbox = () => mailboxOf(o.world);
  const login = (username: string) =>
    o.world.api.call("login", { body: { login: username, password: PASSWORD } });
  const ownerOf = (email: string) => o.there(o.one, { email, email_verified: true });

  it("ends the password, sessions, API tokens and links of the stranger who prepared the account", async () => {
    const stranger = await o.withPassword(true);
    const { token } = await stranger.api.ok("createToken", { body: { name: "kept", scopes: ["user:read"] } });
    const strangersLogin = o.there(o.one);
    const code = await o.one.nativeCode(strangersLogin);
    await stranger.api.ok("linkProvider", { params: { provider: "app" }, body: code });
    const by = o.browser();

    const { fragment } = await o.signIn(by, o.one, ownerOf(stranger.email));

    expect(fragment).deep.equal({});
    expect(await o.whoIs(by)).equal(stranger.username);
    expect((await login(stranger.username)).code).equal("invalid_credentials");
    expect((await stranger.api.call("getMe")).code).equal("invalid_token");
    expect((await o.world.api.as({ token }).call("getMe")).code).equal("invalid_token");
    const again = await o.signIn(o.browser(), o.one, strangersLogin);
    expect(again.fragment.error).equal("username_required");
    const linked = await o.send(by, "GET", "/v1/users/me/oauth");
    expect(Object(linked.body)).include({ total: 1 });
    const ended = o.world.auditedOf("session.ended", stranger.id);
    expect(ended.map(({ reason }) => reason)).deep.equal(["provider_linked"]);
    expect(o.world.auditedOf("stream_key.rotated", stranger.id)).length(1);
    await mailbox().settled();
    // The stranger's own link had a mail of the same subject, and mails of one sweep arrive in any order.
    const texts = (await mailbox().to(stranger.email)).map(({ text }) => text).join();
    expect(texts).contain(
      "its old password, logins, passkeys, API tokens and other connections no longer work",
    );
  });

  it("ends a pending change of the address, and links that were mailed to reset the password", async () => {
    const stranger = await o.withPassword(true);
    const other = `${newName()}@example.org`;
    await stranger.api.ok("updateMe", { body: { email: other, password: PASSWORD } });
    const change = tokenIn(await mailbox().next(other, "Confirm your new email address"));
    await o.world.api.ok("forgotPassword", { body: { email: stranger.email } });
    const reset = tokenIn(await mailbox().next(stranger.email, "Reset your password"));
    const by = o.browser();

    await o.signIn(by, o.one, ownerOf(stranger.email));

    expect(await o.whoIs(by)).equal(stranger.username);
    expect((await o.world.api.call("verifyEmail", { body: { token: change } })).code).equal("invalid_token");
    const password = "a password of the stranger";
    const answer = await o.world.api.call("resetPassword", { body: { token: reset, password } });
    expect(answer.code).equal("invalid_token");
  });

  it("links no account whose change of address can still be undone, and ends nothing there", async () => {
    const account = await o.withPassword(true);
    const moved = `${newName()}@example.org`;
    await account.api.ok("updateMe", { body: { email: moved, password: PASSWORD } });
    const change = tokenIn(await mailbox().next(moved, "Confirm your new email address"));
    await o.world.api.ok("verifyEmail", { body: { token: change } });
    const undo = tokenIn(
      await mailbox().next(account.email, "The email address of your account was changed"),
    );
    const by = o.browser();

    const { fragment } = await o.signIn(by, o.one, ownerOf(moved));

    expect(fragment).deep.equal({ error: "email_taken" });
    expect(o.world.auditedOf("sign_in.refused", account.id)[0]).include({ reason: "email_taken" });
    expect(await o.whoIs(by)).equal(null);
    expect((await login(account.username)).status).equal(200);
    expect((await o.world.api.call("undoEmailChange", { body: { token: undo } })).status).equal(204);
  });

  it("leaves everything to an owner who links in a session instead", async () => {
    const account = await o.withPassword(true);
    const params = { provider: "app" };
    const there = o.there(o.one, { email: account.email, email_verified: true });

    await account.api.ok("linkProvider", { params, body: await o.one.nativeCode(there) });
    const by = o.browser();
    await o.signIn(by, o.one, there);

    expect(await o.whoIs(by)).equal(account.username);
    expect((await account.api.call("getMe")).status).equal(200);
    expect((await login(account.username)).status).equal(200);
    const mail = await mailbox().next(account.email, "The ways to log in to your account were changed");
    expect(mail.text).not.contain("have ended");
  });

  it("names the account in the mail by which its address is verified, and in the link", async () => {
    const { username, email } = await o.withPassword(false);

    const { text } = await mailbox().next(email, "Verify your email address");

    expect(text).contain(`The account ${username} was created`);
    expect(text).match(new RegExp(`/account/verify-email#token=[\\w-]+&account=${username}\\s`));
  });
});
