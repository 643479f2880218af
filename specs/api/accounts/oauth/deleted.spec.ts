import { expect } from "chai";
import { erased } from "../../../support/erased.ts";
import { codeNow } from "../../../support/two-factor.ts";
import { type OpenedOauth, openOauth, PASSWORD } from "./open-oauth.ts";

describe("a provider's word about a deleted account", () => {
  const DAY_MS = 86_400_000;
  let o: OpenedOauth;
  before(async () => {
    o = await openOauth({ moving: true });
  });
  after(() => o?.close());

  const links = () => o.world.core.mongo.db.collection("oauth_identities");
  const statusOf = async (id: string) =>
    (await o.world.core.mongo.db.collection<{ _id: string; status: string }>("users").findOne({ _id: id }))
      ?.status;

  async function deleted() {
    const account = await o.withPassword(true);
    const login = o.there(o.one, { email: account.email, email_verified: true });
    return {
      account,
      login,
      link: async () => {
        const body = await o.one.nativeCode(login);
        await account.api.ok("linkProvider", { params: { provider: "app" }, body });
      },
      remove: () => account.api.ok("deleteMe", { body: { password: PASSWORD } }),
    };
  }

  it("brings it back within 30 days where it was linked", async () => {
    const { account, login, link, remove } = await deleted();
    await link();
    await remove();
    o.clock.move(29 * DAY_MS);
    const by = o.browser();

    await o.signIn(by, o.one, login);

    expect(await o.whoIs(by)).equal(account.username);
    expect(await statusOf(account.id)).equal("active");
  });

  it("stands for the password that the account hasn't: it is deleted right after a sign-in, and later asks for one", async () => {
    const [by, again, later] = [o.browser(), o.browser(), o.browser()];
    const { login, username } = await o.newcomer(by, o.one);
    const remove = (one: typeof by) => o.send(one, "DELETE", "/v1/users/me", {});

    o.clock.move(6 * 60_000);
    await o.send(by, "POST", "/v1/auth/refresh", {});
    const late = await remove(by);
    expect(late).include({ status: 403, code: "step_up_required" });
    expect(late.body.details).deep.include({ methods: ["sign_in"] });
    await o.signIn(again, o.one, login);
    expect((await remove(again)).status).equal(204);
    expect(await o.whoIs(again)).equal(null);

    await o.signIn(later, o.one, login);
    expect(await o.whoIs(later)).equal(username);
    const withOne = await o.withPassword(true);
    expect((await withOne.api.call("deleteMe", { body: {} })).code).equal("invalid_credentials");
  });

  it("stands for the password that the account hasn't, with a code: its second factor goes off", async () => {
    const [by, again] = [o.browser(), o.browser()];
    const { login } = await o.newcomer(by, o.one);
    const { body } = await o.send(by, "POST", "/v1/users/me/2fa/totp/setup");
    const code = codeNow(o.world.core, { secret: String(body.secret) });
    expect((await o.send(by, "POST", "/v1/users/me/2fa/totp/verify", { code })).status).equal(200);
    const [first, second] = Array.isArray(body.recovery_codes) ? body.recovery_codes : [];
    const off = (one: typeof by, sent: unknown) =>
      o.send(one, "DELETE", "/v1/users/me/2fa/totp", { code: sent });

    expect((await off(by, "h7kq2m-x9vtb4-n8rdc6-z5wyp3")).code).equal("invalid_code");
    o.clock.move(6 * 60_000);
    expect((await off(by, first)).code).equal("step_up_required");
    expect((await o.send(by, "POST", "/v1/auth/step-up", { code: first })).status).equal(200);
    expect((await off(by, second)).status).equal(204);
    await o.signIn(again, o.one, login);
    expect(await o.whoIs(again)).not.equal(null);
  });

  it("brings none back by an address alone", async () => {
    const { account, login, remove } = await deleted();
    await remove();
    const by = o.browser();

    const { fragment } = await o.signIn(by, o.one, login);

    expect(fragment).deep.equal({ error: "invalid_token" });
    expect(await o.whoIs(by)).equal(null);
    expect(await statusOf(account.id)).equal("deleted");
    expect(await links().countDocuments({ userId: account.id })).equal(0);
  });

  it("is worth nothing after 30 days, and its link goes with the account", async () => {
    const { account, login, link, remove } = await deleted();
    await link();
    await remove();
    o.clock.move(30 * DAY_MS + 1_000);

    // Refused, or a newcomer, by whether the account was erased by then.
    const { fragment } = await o.signIn(o.browser(), o.one, login);

    expect(fragment.error).oneOf(["invalid_token", "username_required"]);
    expect(await statusOf(account.id)).not.equal("active");
    await erased(o.world, account.id);
    expect(await links().countDocuments({ userId: account.id })).equal(0);
  });
});
