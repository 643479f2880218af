import { expect } from "chai";
import { shows } from "../../../../contract/coverage/shows.ts";
import { HOME, newName, type OpenedOauth, openOauth, PUBLIC, SETTINGS_PAGE } from "./open-oauth.ts";

describe("signing in by another provider, in a browser", () => {
  let o: OpenedOauth;
  before(async () => {
    o = await openOauth({ ofTwo: { emailDomains: ["acme.example"] } });
  });
  after(() => o?.close());

  it("lists the providers", async () => {
    const { items } = await o.world.api.ok("listOauthProviders");

    expect(items.map(({ id, kind }) => [id, kind])).deep.equal([
      ["one", "oidc"],
      ["two", "oidc"],
      ["app", "oidc"],
    ]);
  });

  it("asks a newcomer for a name, makes the account with the verified address, and knows it the next time", async () => {
    const by = o.browser();
    const email = `${newName()}@example.org`;
    const login = o.there(o.one, { email, email_verified: true });

    const first = await o.signIn(by, o.one, login);
    expect(first.page).equal(HOME);
    expect(first.fragment).include({ error: "username_required", email: "known" });
    expect(await o.whoIs(by)).equal(null);

    const username = newName();
    const made = await o.complete(by, o.one, first.fragment.completion_token, { username });
    expect(made.status, JSON.stringify(made.body)).equal(200);
    expect(Object(made.body.user)).include({ username, email });
    expect(Object(made.body.user).email_verified).a("string");
    expect(await o.whoIs(by)).equal(username);

    const other = o.browser();
    expect(await o.signIn(other, o.one, login, `?return_to=${SETTINGS_PAGE}`)).deep.equal({
      page: SETTINGS_PAGE,
      fragment: {},
    });
    expect(await o.whoIs(other)).equal(username);
    expect([...other.cookies(PUBLIC).keys()]).include.members([
      "lc_access_token",
      "lc_refresh_token",
      "lc_device_id",
      "lc_signed_in",
    ]);
    shows("auth.cookie_mode.social");
  });

  it("is the only way into an account without a password, which the audit log says of one that is tried", async () => {
    const by = o.browser();
    const { username, id } = await o.newcomer(by, o.one);
    const body = { login: username, password: "any that is long enough" };

    const tried = await o.send(o.browser(), "POST", "/v1/auth/login", body);

    expect(tried.status).equal(401);
    const [refused] = o.world.auditedOf("sign_in.refused", id);
    expect(refused).include({ reason: "no_password" });
  });

  it("takes an organisation's own sign-in for the addresses of its domains, and sets the same cookies", async () => {
    const by = o.browser();
    const { login, username } = await o.newcomer(by, o.two, { email: `${newName()}@acme.example` });
    const again = o.browser();

    expect(await o.signIn(again, o.two, login)).deep.equal({ page: HOME, fragment: {} });

    expect(await o.whoIs(again)).equal(username);
    expect([...again.cookies(PUBLIC).keys()]).include.members([
      "lc_access_token",
      "lc_refresh_token",
      "lc_device_id",
      "lc_signed_in",
    ]);
    const stranger = o.browser();
    const elsewhere = o.there(o.two, { email: `${newName()}@other.example`, email_verified: true });
    const { completion_token } = (await o.signIn(stranger, o.two, elsewhere)).fragment;
    const made = await o.complete(stranger, o.two, completion_token, { username: newName() });
    expect(Object(made.body.user)).not.have.property("email_verified");
    shows("auth.cookie_mode.sso");
  });
});
