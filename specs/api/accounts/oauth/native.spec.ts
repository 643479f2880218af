import { expect } from "chai";
import { newName, type OpenedOauth, openOauth } from "./open-oauth.ts";

describe("signing in by another provider, with a native client's code", () => {
  let o: OpenedOauth;
  before(async () => {
    o = await openOauth();
  });
  after(() => o?.close());

  const params = { provider: "app" };
  const bearer = () => o.world.api.with({ "x-auth-mode": "bearer" });
  const send = (body: unknown) => bearer().call("signInWithOauth", { params, body });

  it("makes an account on the device that has the code's verifier, and signs in by bearer tokens", async () => {
    const login = o.there(o.one, { email: `${newName()}@example.org`, email_verified: true });
    const code = await o.one.nativeCode(login);
    const first = await send(code);
    expect([first.status, first.code]).deep.equal([409, "username_required"]);
    const { completion_token } = first.details;

    const username = newName();
    const elsewhere = await send({ completion_token, username });
    const guessed = await send({ completion_token, username, code_verifier: "x".repeat(43) });
    expect([elsewhere.code, guessed.code]).deep.equal(["invalid_token", "invalid_token"]);
    const made = await send({ completion_token, username, code_verifier: code.code_verifier });
    expect(made.status, JSON.stringify(made.body)).equal(200);
    expect(made.headers.getSetCookie()).deep.equal([]);

    const { access_token: token = "" } = await bearer().ok("signInWithOauth", {
      params,
      body: await o.one.nativeCode(login),
    });
    expect((await o.world.api.as({ token }).ok("getMe")).username).equal(username);
  });

  it("takes a code once, with its own verifier, nonce, issuer and redirect URI", async () => {
    const login = o.there(o.one);
    const used = await o.one.nativeCode(login);
    expect((await send(used)).code).equal("username_required");
    expect((await send(used)).code).equal("oauth_failed");

    const wrong = async (differing: Record<string, string | undefined>) =>
      (await send({ ...(await o.one.nativeCode(login)), ...differing })).code;
    expect(await wrong({ code_verifier: "x".repeat(43) })).equal("oauth_failed");
    expect(await wrong({ nonce: "another one than the client's" })).equal("oauth_failed");
    expect(await wrong({ iss: o.two.issuer })).equal("oauth_failed");
    expect(await wrong({ iss: undefined })).equal("oauth_failed");
    expect(await wrong({ nonce: undefined })).equal("validation_failed");
    expect(await wrong({ redirect_uri: "com.example.app:/other" })).equal("validation_failed");
  });

  it("refuses a code that was requested without a challenge", async () => {
    const bare = { code_challenge: null, code_challenge_method: null };
    expect((await send(await o.one.nativeCode(o.there(o.one), bare))).code).equal("oauth_failed");
  });

  it("wants either a code or a completion", async () => {
    for (const body of [{}, { code: "x" }, { completion_token: "x" }, { username: newName() }])
      expect((await send(body)).code).equal("validation_failed");
  });
});
