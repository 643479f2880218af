import { expect } from "chai";
import { movableClock } from "../../../support/clock.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { accountsIn, PASSWORD, type Protected, tally, wrongCode } from "./account.ts";

describe("Guessing the code of a second factor", () => {
  let world: World;
  let accounts: ReturnType<typeof accountsIn>;

  before(async () => {
    world = await openWorld({ clock: movableClock() });
    accounts = accountsIn(world);
  });
  after(() => world?.close());

  const wrong = (account: Protected) => wrongCode([-1, 0, 1].map((steps) => accounts.codeOf(account, steps)));
  const forget = async () => {
    // Its counts alone: what they slow down is shown apart.
    const keys = await world.core.redis.keys("lc:two-factor*");
    for (const key of keys) await world.core.redis.del(key);
  };

  it("has five tries a sign-in, also at once", async () => {
    const account = await accounts.protectedAccount();
    const [code = ""] = account.recoveryCodes;
    const token = await accounts.begin(account);
    for (let i = 0; i < 4; i++) {
      expect((await accounts.finish(token, wrong(account))).code).equal("invalid_code");
      await forget();
    }
    const last = await Promise.all([1, 2, 3].map(() => accounts.finish(token, wrong(account))));
    await forget();

    expect(tally(last)).deep.equal({ invalid_code: 1, invalid_token: 2 });
    expect((await accounts.finish(token, code)).code).equal("invalid_token");
    expect(world.auditedOf("sign_in.refused", account.id).at(-1)).include({ reason: "too_many_codes" });
  });

  it("is slowed down by account, however many sign-ins are begun", async () => {
    const account = await accounts.protectedAccount();
    for (let i = 0; i < 5; i++) await accounts.finish(await accounts.begin(account), wrong(account));

    const right = await accounts.finish(await accounts.begin(account), account.recoveryCodes[0] ?? "");

    expect(right).include({ status: 429, code: "rate_limited" });
    expect(right.details).include({ bucket: "two_factor", limit: 5 });
    expect(Number(right.headers.get("retry-after"))).within(1, 60);
  });

  it("by who has the password doesn't hold up the owner's devices and sessions, nor do strangers without it", async () => {
    const account = await accounts.protectedAccount();
    const [first = "", second = "", third = ""] = account.recoveryCodes;
    const body = (await accounts.finish(await accounts.begin(account), first)).body;
    const known = String(Object(body).device_id);
    for (let i = 0; i < 6; i++) await accounts.finish(`lc_2fa_${"x".repeat(43)}`, wrong(account));
    const guesses = [];
    for (let i = 0; i < 6; i++)
      guesses.push(await accounts.finish(await accounts.begin(account), wrong(account)));
    expect(tally(guesses)).deep.equal({ invalid_code: 5, rate_limited: 1 });

    const begun = await accounts.bearer.ok("login", {
      body: { login: account.username, password: PASSWORD, device_id: known },
    });

    expect((await accounts.finish(String(begun.two_factor_token), second)).status).equal(200);
    expect((await account.api.call("stepUp", { body: { code: third } })).status).equal(200);
  });

  it("is slowed down in a session too", async () => {
    const account = await accounts.protectedAccount();
    const codes: (string | null)[] = [];
    for (let i = 0; i < 6; i++) {
      codes.push((await account.api.call("stepUp", { body: { code: wrong(account) } })).code);
    }
    expect(codes).deep.equal([...Array(5).fill("invalid_code"), "rate_limited"]);
  });

  it("is slowed down while a set-up is verified", async () => {
    const { api } = await accounts.account();
    const { secret } = await api.ok("setUpTwoFactor");
    const code = wrongCode([-1, 0, 1].map((steps) => accounts.codeOf({ secret }, steps)));
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await api.call("verifyTwoFactor", { body: { code } }));
    expect(tally(answers)).deep.equal({ invalid_code: 5, rate_limited: 1 });
  });
});
