import { expect } from "chai";
import { newName, type OpenedOauth, openOauth, PUBLIC } from "./open-oauth.ts";

const CALLBACK = "/v1/auth/oauth/two/callback";

describe("A provider that sends browsers back by a POST", () => {
  let o: OpenedOauth;
  before(async () => {
    o = await openOauth({ ofTwo: { responseMode: "form_post" } });
  });
  after(() => o?.close());

  const post = (fields: Record<string, string>, path = CALLBACK) =>
    fetch(`${o.world.baseUrl}${path}`, {
      method: "POST",
      redirect: "manual" as const,
      body: new URLSearchParams(fields),
    });

  it("signs in the browser that began, though its cookie doesn't come with the post", async () => {
    const by = o.browser();
    const authorizationRequest = new URL(await o.browserTo(by, o.two));
    expect(authorizationRequest.searchParams.get("response_mode")).equal("form_post");

    const { username } = await o.newcomer(by, o.two);

    expect(await o.whoIs(by)).equal(username);
  });

  it("signs in nobody else by it", async () => {
    const login = o.there(o.two, { email: `${newName()}@example.org`, email_verified: true });
    const back = await o.wayBack(o.browser(), o.two, login);
    const other = o.browser();

    expect((await o.arrive(other, back)).fragment).deep.equal({ error: "oauth_failed" });
    expect(await o.whoIs(other)).equal(null);
  });

  it("is taken what counts, and nothing else, on to the callback without a cookie", async () => {
    const known = { state: "s&x=1", code: "c#d", iss: "https://two.example", error: "access_denied" };

    const answer = await post({ ...known, user: "{}", return_to: "https://evil.example" });

    expect(answer.status).equal(303);
    expect(answer.headers.getSetCookie()).deep.equal([]);
    const to = new URL(answer.headers.get("location") ?? "");
    expect(to.origin + to.pathname).equal(PUBLIC + CALLBACK);
    expect(Object.fromEntries(to.searchParams)).deep.equal(known);
  });

  it("is refused what is too long, of another form, or of no provider", async () => {
    expect((await post({ code: "c".repeat(4_097) })).status).equal(400);
    expect((await post({ user: "u".repeat(70_000) })).status).equal(413);
    expect((await post({ code: "c" }, "/v1/auth/oauth/three/callback")).status).equal(404);
    const json = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect((await fetch(o.world.baseUrl + CALLBACK, json)).status).equal(415);
  });
});
