import { expect } from "chai";
import { newPasskey } from "../../../support/passkey.ts";
import { type OpenedOauth, openOauth } from "../oauth/open-oauth.ts";

describe("the last way to sign in to an account without a password", () => {
  let o: OpenedOauth;
  before(async () => {
    o = await openOauth();
  });
  after(() => o?.close());

  /** An account of a provider's user, with a passkey. */
  async function withPasskey() {
    const by = o.browser();
    await o.newcomer(by, o.one);
    const { body } = await o.send(by, "POST", "/v1/users/me/passkeys/options");
    const credential = newPasskey().create(Object(body));
    const made = await o.send(by, "POST", "/v1/users/me/passkeys", { name: "Mine", credential });
    return {
      unlink: () => o.send(by, "DELETE", "/v1/users/me/oauth/one"),
      remove: () => o.send(by, "DELETE", `/v1/users/me/passkeys/${String(made.body.id)}`),
    };
  }

  it("lets a provider be unlinked beside a passkey, which then stays", async () => {
    const { unlink, remove } = await withPasskey();
    expect((await unlink()).status).equal(204);
    expect(await remove()).include({ status: 409, code: "last_sign_in" });
  });

  it("lets a passkey be removed beside a configured provider, which then stays", async () => {
    const { unlink, remove } = await withPasskey();
    expect((await remove()).status).equal(204);
    expect(await unlink()).include({ status: 409, code: "last_sign_in" });
  });

  it("keeps one of a provider and a passkey that are removed at once", async () => {
    for (let round = 0; round < 5; round++) {
      const { unlink, remove } = await withPasskey();
      const both = await Promise.all([unlink(), remove()]);
      expect(both.map(({ status }) => status).sort()).deep.equal([204, 409]);
    }
  });
});
