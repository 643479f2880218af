import { expect } from "chai";
import { createBrowser } from "../../../support/browser.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { type IssuerOfSpecs, startIssuerOfSpecs } from "./issuer-of-specs.ts";
import { HOME, PUBLIC } from "./open-oauth.ts";

describe("an issuer, or who passes for one, that says what it may not", () => {
  let world: World;
  let silent: IssuerOfSpecs;
  let other: IssuerOfSpecs;
  let named: IssuerOfSpecs;
  before(async () => {
    silent = await startIssuerOfSpecs("silent");
    other = await startIssuerOfSpecs("other");
    named = await startIssuerOfSpecs("named", { namesItself: true });
    const providers = [silent, other, named].map((one) => one.setting());
    world = await openWorld({ oauth: { providers, returnUrls: [HOME] } });
  });
  after(async () => {
    await world?.close();
    await Promise.all([silent, other, named].map((one) => one?.close()));
  });

  type Saying = Parameters<IssuerOfSpecs["approve"]>[1];

  /** What is reported to the page that is come back to; `at`: in whose callback. */
  async function outcome(id: string, of: IssuerOfSpecs, saying?: Saying, at = id): Promise<string | null> {
    const by = createBrowser({ [PUBLIC]: world.baseUrl });
    const page = await by.sentTo(`${PUBLIC}/v1/auth/oauth/${id}/start`);
    const back = of.approve(page, saying).replace(`/oauth/${id}/`, `/oauth/${at}/`);
    const { hash } = new URL(await by.sentTo(back));
    return new URLSearchParams(hash.slice(1)).get("error");
  }

  it("is believed in what is right", async () => {
    for (const [id, issuer] of Object.entries({ silent, other, named }))
      expect(await outcome(id, issuer), id).equal("username_required");
  });

  it("isn't believed in an ID token by a key that the issuer doesn't publish", async () => {
    expect(await outcome("silent", silent, { isForged: true })).equal("oauth_failed");
  });

  it("isn't believed in an ID token of another issuer, of none, for another client, or of another sign-in", async () => {
    const tokens = {
      "another issuer": { iss: other.issuer },
      "no issuer": { iss: null },
      "another client": { aud: "another client" },
      "another nonce": { nonce: "of another sign-in" },
      "no nonce": { nonce: null },
      "an hour ago": { exp: Math.floor(Date.now() / 1_000) - 3_600 },
    };
    for (const [what, claims] of Object.entries(tokens))
      expect(await outcome("silent", silent, { claims }), what).equal("oauth_failed");
  });

  it("isn't brought the code of an answer that names another issuer, or none where it would name itself", async () => {
    expect(await outcome("silent", silent, { iss: other.issuer })).equal("oauth_failed");
    expect(await outcome("named", named, { iss: other.issuer })).equal("oauth_failed");
    const before = named.exchanges();
    expect(await outcome("named", named, { iss: null })).equal("oauth_failed");
    expect(named.exchanges()).equal(before);
  });

  it("gets nothing at another one's callback, where no answer names an issuer", async () => {
    const before = [silent.exchanges(), other.exchanges()];

    expect(await outcome("silent", silent, {}, "other")).equal("oauth_failed");

    expect([silent.exchanges(), other.exchanges()]).deep.equal(before);
  });
});
