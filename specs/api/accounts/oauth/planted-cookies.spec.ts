import { expect } from "chai";
import type { Browser } from "../../../support/browser.ts";
import { HOME, type OpenedOauth, openOauth, PASSWORD, PUBLIC } from "./open-oauth.ts";

const FAILED = { page: HOME, fragment: { error: "oauth_failed" } };
const SECRET = "__Host-lc_oauth";

describe("cookies of a sign-in by a provider", () => {
  let o: OpenedOauth;
  before(async () => {
    // As over https: there the names have their prefix.
    o = await openOauth({ plainCookiesHere: false });
  });
  after(() => o?.close());

  const secretIn = (by: Browser): string | undefined => by.cookies(PUBLIC).get(SECRET);

  async function login(by: Browser, username: string): Promise<void> {
    const { status } = await o.send(by, "POST", "/v1/auth/login", { login: username, password: PASSWORD });
    expect(status).equal(200);
  }
  async function signedIn(username: string): Promise<Browser> {
    const by = o.browser();
    await login(by, username);
    return by;
  }

  it("binds a flow by a cookie that no other host can set and no page can read", async () => {
    const response = await o.browser().request(`${PUBLIC}/v1/auth/oauth/one/start`);

    const [line = ""] = response.headers.getSetCookie();
    expect(line).match(/^__Host-lc_oauth=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  });

  it("takes no secret from the request when a sign-in or a link begins", async () => {
    const account = await o.withPassword(true);
    const by = await signedIn(account.username);
    const planted = "p".repeat(43);
    const seen = new Set([planted]);

    for (const begin of [
      () => by.request(`${PUBLIC}/v1/auth/oauth/one/start`),
      () => o.send(by, "POST", "/v1/users/me/oauth/two/start", {}),
    ]) {
      for (const name of [SECRET, "lc_oauth"]) by.cookies(PUBLIC).set(name, planted);
      await begin();
      seen.add(secretIn(by) ?? planted);
    }

    expect(seen.size).equal(3);
  });

  it("signs no browser in by a flow whose cookie a sibling host has planted", async () => {
    const attacker = o.browser();
    const { login } = await o.newcomer(attacker, o.one);
    const back = await o.wayBack(attacker, o.one, login);
    const victim = o.browser();
    victim.cookies(PUBLIC).set("lc_oauth", secretIn(attacker) ?? "");

    expect(await o.arrive(victim, back)).deep.equal(FAILED);
    expect(await o.whoIs(victim)).equal(null);
  });

  it("links no provider to an account whose owner's cookie was planted in another browser", async () => {
    const account = await o.withPassword(true);
    const attacker = await signedIn(account.username);
    const begun = await o.send(attacker, "POST", "/v1/users/me/oauth/two/start", {});
    const victim = o.browser();
    victim.cookies(PUBLIC).set("lc_oauth", secretIn(attacker) ?? "");

    const back = await victim.approve(String(begun.body.authorization_url), o.there(o.two));

    expect(await o.arrive(victim, back)).deep.equal(FAILED);
    expect((await account.api.ok("listLinkedProviders")).total).equal(0);
  });

  it("links nothing in a browser with another session or none", async () => {
    const [attacker, victim] = [await o.withPassword(true), await o.withPassword(true)];
    for (const change of [
      async (by: Browser) => void (await login(by, victim.username)),
      async (by: Browser) => void by.cookies(PUBLIC).delete("__Host-lc_binding"),
    ]) {
      const by = o.browser();
      await login(by, attacker.username);
      const begun = await o.send(by, "POST", "/v1/users/me/oauth/two/start", {});
      const back = await by.approve(String(begun.body.authorization_url), o.there(o.two));
      await change(by);

      expect(await o.arrive(by, back)).deep.equal(FAILED);
    }

    for (const { api } of [attacker, victim]) expect((await api.ok("listLinkedProviders")).total).equal(0);
  });

  it("links although the access cookie has expired since the request", async () => {
    const account = await o.withPassword(true);
    const by = o.browser();
    await login(by, account.username);
    const begun = await o.send(by, "POST", "/v1/users/me/oauth/two/start", {});
    const back = await by.approve(String(begun.body.authorization_url), o.there(o.two));
    by.cookies(PUBLIC).delete("lc_access_token");

    expect((await o.arrive(by, back)).fragment).deep.equal({ linked: "two" });
  });

  it("completes no account by a completion token whose device's cookie was planted", async () => {
    const attacker = o.browser();
    const { fragment } = await o.signIn(attacker, o.one, o.there(o.one));
    const victim = o.browser();
    victim.cookies(PUBLIC).set("lc_oauth", secretIn(attacker) ?? "");

    const more = { username: "planted_name", email: "planted@example.org" };
    const made = await o.complete(victim, o.one, fragment.completion_token, more);

    expect([made.status, made.code]).deep.equal([401, "invalid_token"]);
  });
});
