import { expect } from "chai";
import { shows } from "../../../../contract/coverage/shows.ts";
import { movableClock } from "../../../support/clock.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { accountsIn, STEP_MS, tally } from "./account.ts";

describe("The code of a second factor", () => {
  const clock = movableClock();
  let world: World;
  let accounts: ReturnType<typeof accountsIn>;

  before(async () => {
    world = await openWorld({ clock });
    accounts = accountsIn(world);
  });
  after(() => world?.close());

  it("counts once, as does every one before it", async () => {
    const account = await accounts.protectedAccount();
    // Past the one that verified the set-up.
    clock.move(2 * STEP_MS);
    const code = accounts.codeOf(account);
    const first = await accounts.finish(await accounts.begin(account), code);
    const again = await accounts.finish(await accounts.begin(account), code);
    const before = await accounts.finish(await accounts.begin(account), accounts.codeOf(account, -1));
    const next = await accounts.finish(await accounts.begin(account), accounts.codeOf(account, 1));

    expect([first.status, again.code, before.code, next.status]).deep.equal([
      200,
      "invalid_code",
      "invalid_code",
      200,
    ]);
    shows("auth.two_factor.login");
  });

  it("isn't good once more after it verified the set-up", async () => {
    const account = await accounts.protectedAccount();

    const answer = await accounts.finish(await accounts.begin(account), accounts.codeOf(account));

    expect(answer.code).equal("invalid_code");
  });

  it("signs in once when several bring it at once", async () => {
    const account = await accounts.protectedAccount();
    clock.move(2 * STEP_MS);
    const tokens = await Promise.all([1, 2, 3, 4].map(() => accounts.begin(account)));
    const code = accounts.codeOf(account);

    const answers = await Promise.all(tokens.map((token) => accounts.finish(token, code)));

    expect(tally(answers)).deep.equal({ "200": 1, invalid_code: 3 });
  });

  for (const steps of [-2, 2]) {
    it(`isn't taken ${steps} steps away`, async () => {
      const account = await accounts.protectedAccount();
      clock.move(5 * STEP_MS);
      const answer = await accounts.finish(await accounts.begin(account), accounts.codeOf(account, steps));
      expect(answer.code).equal("invalid_code");
    });
  }

  for (const steps of [-1, 1]) {
    it(`is taken ${steps} step away`, async () => {
      const account = await accounts.protectedAccount();
      clock.move(5 * STEP_MS);
      const answer = await accounts.finish(await accounts.begin(account), accounts.codeOf(account, steps));
      expect(answer.status).equal(200);
    });
  }

  it("may be a recovery code, each of them once, also at once and however it is spelled", async () => {
    const account = await accounts.protectedAccount();
    const [one = "", other = ""] = account.recoveryCodes;
    const tokens = await Promise.all([1, 2, 3].map(() => accounts.begin(account)));

    const answers = await Promise.all(tokens.map((token) => accounts.finish(token, one)));
    const spelled = other.toUpperCase().replaceAll("-", " ");
    const second = await accounts.finish(await accounts.begin(account), spelled);

    expect(tally(answers)).deep.equal({ "200": 1, invalid_code: 2 });
    expect(second.status).equal(200);
    expect(Object(second.body).recovery_codes_left).equal(8);
  });

  it("may be a recovery code of the newest ten alone", async () => {
    const account = await accounts.protectedAccount();
    const [first = "", second = ""] = account.recoveryCodes;

    const made = await account.api.ok("renewRecoveryCodes", { body: { code: first } });

    expect(made.recovery_codes).length(10);
    const old = await accounts.finish(await accounts.begin(account), second);
    const fresh = await accounts.finish(await accounts.begin(account), made.recovery_codes[0] ?? "");
    expect([old.code, fresh.status]).deep.equal(["invalid_code", 200]);
  });
});
