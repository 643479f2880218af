import { randomInt } from "node:crypto";
import { expect } from "chai";
import { newName, type OpenedOauth, openOauth } from "./open-oauth.ts";

/** With the limits as they are in production. */
describe("completing a sign-in by a provider", () => {
  let o: OpenedOauth;
  before(async () => {
    o = await openOauth({ rateLimitFactor: 1, trustedProxies: ["127.0.0.0/8"] });
  });
  after(() => o?.close());

  it("counts with other new accounts, five an hour of an address", async () => {
    // An address that nothing has been counted for.
    const from = { "x-forwarded-for": `198.18.${randomInt(256)}.${randomInt(1, 255)}` };
    const api = o.world.api.with({ ...from, "x-auth-mode": "bearer" });
    const params = { provider: "one" };
    const body = { completion_token: "lc_oc_nobody-was-given-this", username: newName() };

    for (let n = 0; n < 5; n++)
      expect((await api.call("signInWithOauth", { params, body })).code).equal("invalid_token");
    const refused = await api.call("signInWithOauth", { params, body });

    expect(refused).include({ status: 429, code: "rate_limited" });
    expect(refused.details).include({ bucket: "register" });
    const username = newName();
    const account = { username, email: `${username}@example.org`, password: "open sesame, said the spec" };
    expect((await api.call("register", { body: account })).details).include({ bucket: "register" });
  });
});
