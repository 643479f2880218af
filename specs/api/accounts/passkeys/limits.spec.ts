import { randomInt } from "node:crypto";
import { expect } from "chai";
import { newPasskey } from "../../../support/passkey.ts";
import { openWorld, type World } from "../../../support/world.ts";

describe("limits of passkey sign-ins", () => {
  let world: World;
  before(async () => {
    world = await openWorld({ rateLimitFactor: 1, trustedProxies: ["127.0.0.0/8"] });
  });
  after(() => world?.close());

  const from = () =>
    world.api.with({
      "x-forwarded-for": `198.18.${randomInt(256)}.${randomInt(1, 255)}`,
      "x-auth-mode": "bearer",
    });

  it("counts sign-ins with a passkey together with logins of an address, and options apart from them", async () => {
    const api = from();
    const credential = newPasskey().get(await api.ok("startPasskeySignIn"));
    const finish = () => api.call("signInWithPasskey", { body: { credential } });

    for (let n = 0; n < 10; n++) expect((await finish()).code).equal("passkey_refused");
    expect((await finish()).details).include({ bucket: "auth" });
    const login = await api.call("login", { body: { login: "nobody_at_all", password: "any" } });
    expect(login.details).include({ bucket: "auth" });
    expect((await api.call("startPasskeySignIn")).status).equal(200);
  });

  it("gives an address 60 options a minute", async () => {
    const api = from();
    for (let n = 0; n < 60; n++) expect((await api.call("startPasskeySignIn")).status).equal(200);
    expect((await api.call("startPasskeySignIn")).details).include({ bucket: "passkey_options" });
  });
});
