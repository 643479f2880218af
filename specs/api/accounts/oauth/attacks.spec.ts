import { expect } from "chai";
import { HOME, newName, type OpenedOauth, openOauth } from "./open-oauth.ts";

const FAILED = { page: HOME, fragment: { error: "oauth_failed" } };

describe("what others could do with a sign-in by a provider, in a browser", () => {
  let o: OpenedOauth;
  before(async () => {
    o = await openOauth({ moving: true });
  });
  after(() => o?.close());

  /** The address with another parameter; null: without it. */
  function changed(url: string, name: string, value: string | null): string {
    const to = new URL(url);
    if (value === null) to.searchParams.delete(name);
    else to.searchParams.set(name, value);
    return to.href;
  }

  it("takes a way back once", async () => {
    const by = o.browser();
    const { login } = await o.newcomer(by, o.one);
    const other = o.browser();
    const back = await o.wayBack(other, o.one, login);

    expect(await o.arrive(other, back)).deep.equal({ page: HOME, fragment: {} });
    expect(await o.arrive(other, back)).deep.equal(FAILED);
  });

  it("takes a code once, also with a state of its own", async () => {
    const by = o.browser();
    const { login } = await o.newcomer(by, o.one);
    const used = await o.wayBack(by, o.one, login);
    await o.arrive(by, used);
    const fresh = await o.wayBack(by, o.one, login);

    const replayed = changed(fresh, "code", new URL(used).searchParams.get("code"));

    expect(await o.arrive(by, replayed)).deep.equal(FAILED);
  });

  it("refuses a state that it never gave out, and none", async () => {
    const by = o.browser();
    const back = await o.wayBack(by, o.one, o.there(o.one));

    expect(await o.arrive(by, changed(back, "state", "x".repeat(43)))).deep.equal(FAILED);
    expect(await o.arrive(by, changed(back, "state", null))).deep.equal(FAILED);
  });

  it("signs no browser in by what another one began", async () => {
    const attacker = o.browser();
    const { login } = await o.newcomer(attacker, o.one);
    const back = await o.wayBack(attacker, o.one, login);
    const victim = o.browser();

    expect(await o.arrive(victim, back)).deep.equal(FAILED);
    // One that has begun something itself is no other.
    const begun = o.browser();
    await o.wayBack(begun, o.one, o.there(o.one));
    expect(await o.arrive(begun, await o.wayBack(attacker, o.one, login))).deep.equal(FAILED);
    expect(await o.whoIs(victim)).equal(null);
    expect(await o.whoIs(begun)).equal(null);
  });

  it("is over after ten minutes", async () => {
    const by = o.browser();
    const back = await o.wayBack(by, o.one, o.there(o.one));

    o.clock.move(600_000);

    expect(await o.arrive(by, back)).deep.equal(FAILED);
  });

  it("refuses an ID token with another nonce", async () => {
    const by = o.browser();
    const { login } = await o.newcomer(by, o.one);
    const page = changed(await o.browserTo(by, o.one), "nonce", "another nonce, of somebody who made it up");

    expect(await o.arrive(by, await by.approve(page, login))).deep.equal(FAILED);
  });

  it("refuses a code that was given without the challenge, or for another verifier's", async () => {
    const by = o.browser();
    const { login } = await o.newcomer(by, o.one);
    const bare = changed(await o.browserTo(by, o.one), "code_challenge", null);
    const withoutMethod = changed(bare, "code_challenge_method", null);
    const others = changed(
      await o.browserTo(by, o.one),
      "code_challenge",
      "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    );

    expect(await o.arrive(by, await by.approve(withoutMethod, login))).deep.equal(FAILED);
    expect(await o.arrive(by, await by.approve(others, login))).deep.equal(FAILED);
  });

  it("gives a provider nothing that was begun with another", async () => {
    const by = o.browser();
    const back = await o.wayBack(by, o.one, o.there(o.one));

    const mixedUp = back.replace("/oauth/one/", "/oauth/two/");

    expect(await o.arrive(by, mixedUp)).deep.equal(FAILED);
    expect(o.two.requests.filter((request) => request.includes("/token"))).deep.equal([]);
  });

  it("refuses an answer that another issuer signs, or nobody", async () => {
    const by = o.browser();
    const { login } = await o.newcomer(by, o.one);

    for (const iss of [o.two.issuer, null]) {
      const back = changed(await o.wayBack(by, o.one, login), "iss", iss);
      expect(await o.arrive(by, back), String(iss)).deep.equal(FAILED);
    }
  });

  it("returns to addresses of the list alone", async () => {
    for (const address of [
      "https://evil.example/",
      "https://app.example",
      "https://app.example/settings/../evil",
      "https://app.example@evil.example/",
      "//evil.example/",
      "javascript:alert(1)",
    ]) {
      const query = { return_to: address };
      const answer = await o.world.api.call("startOauth", { params: { provider: "one" }, query });
      expect([answer.status, answer.code], address).deep.equal([400, "validation_failed"]);
    }
  });

  it("reports to a page that its user denied it, and knows no provider that isn't configured", async () => {
    const by = o.browser();
    const back = await by.approve(await o.browserTo(by, o.one), "anybody", { abort: true });

    expect(await o.arrive(by, back)).deep.equal({ page: HOME, fragment: { error: "oauth_denied" } });
    const unknown = await o.world.api.call("startOauth", { params: { provider: "three" } });
    expect(unknown.code).equal("not_found");
  });

  it("makes one account with a completion token, on the device that it belongs to, for ten minutes", async () => {
    const by = o.browser();
    const login = o.there(o.one, { email: `${newName()}@example.org`, email_verified: true });
    const { fragment } = await o.signIn(by, o.one, login);
    const token = fragment.completion_token;
    const other = o.browser();
    await o.browserTo(other, o.one);

    const stolen = await o.complete(other, o.one, token, { username: newName() });
    expect([stolen.status, stolen.code]).deep.equal([401, "invalid_token"]);
    const taken = await o.complete(by, o.one, token, { username: (await o.withPassword(false)).username });
    expect(taken.code).equal("username_taken");

    const both = await Promise.all(
      [newName(), newName()].map((username) => o.complete(by, o.one, token, { username })),
    );
    // The other one may meet the address before the token.
    expect(both.filter(({ status }) => status === 200).length).equal(1);
    expect(["invalid_token", "email_taken"]).include(both.find(({ code }) => code)?.code);
    const again = await o.complete(by, o.one, token, { username: newName() });
    expect(again.code).equal("invalid_token");

    const late = await o.signIn(o.browser(), o.one, o.there(o.one));
    o.clock.move(600_000);
    const over = await o.complete(by, o.one, late.fragment.completion_token, { username: newName() });
    expect(over.code).equal("invalid_token");
  });

  it("takes five tries with a completion token, whatever they are refused for", async () => {
    const by = o.browser();
    const email = `${newName()}@example.org`;
    const { fragment } = await o.signIn(by, o.one, o.there(o.one, { email, email_verified: true }));
    const taken = await o.withPassword(false);
    const token = fragment.completion_token;
    const tried: unknown[] = [];

    for (let n = 0; n < 5; n++) {
      const more = n % 2 ? { username: taken.username } : { username: newName(), email: taken.email };
      tried.push((await o.complete(by, o.one, token, more)).code);
    }

    expect(tried).deep.equal([
      "email_taken",
      "username_taken",
      "email_taken",
      "username_taken",
      "email_taken",
    ]);
    const sixth = await o.complete(by, o.one, token, { username: newName() });
    expect([sixth.status, sixth.code]).deep.equal([401, "invalid_token"]);
  });
});
