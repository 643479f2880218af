import { expect } from "chai";
import { createClient } from "../../clients/typescript/src/index.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { setUpWorld } from "../support/set-up-world.ts";

describe("the client's sign-in by a provider", () => {
  let provider: IdentityProvider;
  before(async () => {
    provider = await startIdentityProvider("one");
  });
  after(() => provider?.close());
  const { world } = setUpWorld(() => ({
    oauth: { providers: [provider.appSetting()], returnUrls: ["https://app.example/"] },
  }));

  it("takes the tokens of the account that it completes", async () => {
    const client = createClient({ baseUrl: world.baseUrl });
    const code = await provider.nativeCode("hopper");
    const path = { provider: "app" };
    const first = await client.attempt("signInWithOauth", { path, body: code });
    if (first.ok) throw new Error("the account needs a name");
    expect(first.error.code).equal("username_required");
    expect(client.tokens).equal(null);

    const username = `h_${Date.now().toString(36)}`;
    const { code_verifier } = code;
    const body = {
      code_verifier,
      completion_token: String(first.error.details.completion_token),
      username,
      email: `${username}@example.com`,
    };
    await client.call("signInWithOauth", { path, body });
    expect(client.tokens).not.equal(null);
    expect(await client.call("getMe")).include({ username });
  });
});
