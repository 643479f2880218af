import { expect } from "chai";
import type { Api } from "../../../support/api.ts";
import { movableClock } from "../../../support/clock.ts";
import { givenPasskey, newPasskey, type Otherwise, type SoftPasskey } from "../../../support/passkey.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { accountsIn, PASSWORD } from "../two-factor/account.ts";

const FRESH_MS = 5 * 60_000;

describe("step-up with a passkey", () => {
  const clock = movableClock();
  let world: World;
  let accounts: ReturnType<typeof accountsIn>;

  before(async () => {
    world = await openWorld({ clock });
    accounts = accountsIn(world);
  });
  after(() => world?.close());

  /** An account with a passkey, whose session isn't fresh any more. */
  async function stale(account: { api: Api; username: string; id: string }) {
    const { passkey } = await givenPasskey(account.api, newPasskey());
    clock.move(FRESH_MS + 1_000);
    return { ...account, passkey };
  }
  const stepUp = (api: Api, passkey: object) => api.call("stepUp", { body: { passkey } });
  const proved = async (api: Api, passkey: SoftPasskey, other: Otherwise = {}) =>
    stepUp(api, passkey.get(await api.ok("startPasskeyStepUp"), other));
  const rotate = (api: Api) => api.call("rotateStreamKey");

  it("makes the session fresh for five minutes, and is offered beside the password", async () => {
    const { api, passkey, id } = await stale(await accounts.account());
    const refused = await rotate(api);
    expect(refused.details).deep.equal({ methods: ["password", "passkey"], max_age_seconds: 300 });

    const { status, body } = await proved(api, passkey);

    expect(status).equal(200);
    expect(Date.parse(Object(body).valid_until)).within(
      clock.now() + FRESH_MS - 5_000,
      clock.now() + FRESH_MS,
    );
    expect((await rotate(api)).status).equal(200);
    expect(world.auditedOf("step_up.succeeded", id)).length(1);
    clock.move(FRESH_MS + 1_000);
    expect((await rotate(api)).code).equal("step_up_required");
  });

  it("stands for the code of an account with two factors, whose password doesn't", async () => {
    const { api, passkey } = await stale(await accounts.protectedAccount());
    expect((await rotate(api)).details).deep.equal({ methods: ["code", "passkey"], max_age_seconds: 300 });

    expect((await api.call("stepUp", { body: { password: PASSWORD } })).code).equal("step_up_required");
    expect((await proved(api, passkey, { userHandle: null })).status).equal(200);
    expect((await rotate(api)).status).equal(200);
  });

  it("names the caller's passkeys, and has no options for an account without one", async () => {
    const { api, passkey } = await stale(await accounts.account());
    const { options } = await api.ok("startPasskeyStepUp");
    expect(options.allowCredentials?.map(({ id }) => id)).deep.equal([passkey.id]);
    const without = await accounts.account();
    expect((await without.api.call("startPasskeyStepUp")).code).equal("not_found");
  });

  it("takes no passkey of another account, no challenge of another session, and none twice", async () => {
    const [one, two] = [await stale(await accounts.account()), await stale(await accounts.account())];
    const again = await accounts.bearer.ok("login", { body: { login: one.username, password: PASSWORD } });
    const elsewhere = world.api.as({ token: again.access_token ?? "" });
    const options = await one.api.ok("startPasskeyStepUp");

    expect((await proved(one.api, two.passkey)).code).equal("passkey_refused");
    expect((await stepUp(two.api, one.passkey.get(await one.api.ok("startPasskeyStepUp")))).code).equal(
      "passkey_refused",
    );
    expect((await stepUp(one.api, one.passkey.get(await elsewhere.ok("startPasskeyStepUp")))).code).equal(
      "passkey_refused",
    );
    expect((await rotate(one.api)).code).equal("step_up_required");
    expect((await stepUp(one.api, one.passkey.get(options))).status).equal(200);
    expect((await stepUp(one.api, one.passkey.get(options))).code).equal("passkey_refused");
    const refused = world.auditedOf("reauthentication.refused", one.id);
    expect(refused.map(({ purpose }) => purpose)).deep.equal(Array(3).fill("step_up"));
  });

  it("takes no challenge of a sign-in or a registration, and no unverified user", async () => {
    const { api, passkey } = await stale(await accounts.account());
    const signIn = await accounts.bearer.ok("startPasskeySignIn");
    await api.ok("stepUp", { body: { password: PASSWORD } });
    const registration = await api.ok("startPasskeyRegistration");
    clock.move(FRESH_MS - 5_000);

    for (const { options } of [signIn, registration]) {
      const { challenge } = options;
      expect((await proved(api, passkey, { challenge })).code).equal("passkey_refused");
    }
    expect((await proved(api, passkey, { isVerified: false })).code).equal("passkey_refused");
    expect((await proved(api, passkey, { origin: "https://evil.example" })).code).equal("passkey_refused");
  });
});
