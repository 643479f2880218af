import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import type { Answer } from "../../../support/api.ts";
import { movableClock } from "../../../support/clock.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { type Account, accountsIn, PASSWORD, tally } from "./account.ts";

describe("A sign-in that lacks its second factor", () => {
  const clock = movableClock();
  let world: World;
  let accounts: ReturnType<typeof accountsIn>;

  before(async () => {
    world = await openWorld({ clock });
    accounts = accountsIn(world);
  });
  after(() => world?.close());

  const inBrowser = ({ username }: Account) =>
    world.api.call("login", { body: { login: username, password: PASSWORD } });
  const cookiesOf = ({ headers }: Answer) => headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
  const tokenOf = ({ body }: Answer) => String(Object(body).two_factor_token);
  const finishInBrowser = (two_factor_token: string, code: string, cookie: string) =>
    world.api.call("finishLogin", {
      body: { two_factor_token, code },
      headers: cookie ? { cookie } : {},
    });

  /** The reasons that the audit log has for refusing the user's sign-ins, in their order. */
  const refusalsOf = (userId: string | null) =>
    world.auditedOf("sign_in.refused", userId).map(({ reason }) => reason);

  it("has given out nothing that is of any use", async () => {
    const account = await accounts.protectedAccount();

    const { body } = await accounts.bearer.call("login", {
      body: { login: account.username, password: PASSWORD },
    });
    const answer = await inBrowser(account);

    expect(body).have.all.keys("device_id", "requires_2fa", "two_factor_token");
    expect(body).include({ requires_2fa: true });
    expect(cookiesOf(answer).map((cookie) => cookie.split("=")[0])).deep.equal([
      "lc_device_id",
      "lc_sign_in",
    ]);
    const token = tokenOf(answer);
    for (const operation of ["getMe", "createWsTicket"] as const) {
      expect((await world.api.as({ token }).call(operation)).code).equal("invalid_token");
    }
    expect((await account.api.ok("listSessions")).items).length(1);
    shows("auth.two_factor.pending");
  });

  it("is finished in cookie mode on the device that began it alone", async () => {
    const account = await accounts.protectedAccount();
    const [code = "", other = ""] = account.recoveryCodes;
    const begun = await inBrowser(account);
    const [mine = ""] = cookiesOf(begun);
    const [strangers = ""] = cookiesOf(await inBrowser(await accounts.protectedAccount()));
    const token = tokenOf(begun);

    const elsewhere = await finishInBrowser(token, code, strangers);
    const nowhere = await finishInBrowser(token, code, "");
    const asProgram = await accounts.finish(token, code);
    const asProgramOfDevice = await accounts.finish(token, code, mine.split("=")[1]);
    const here = await finishInBrowser(token, other, mine);

    expect([elsewhere, nowhere, asProgram, asProgramOfDevice].map((answer) => answer.code)).deep.equal(
      Array(4).fill("invalid_token"),
    );
    expect(refusalsOf(account.id)).deep.equal(["other_device", "other_device", "other_mode", "other_mode"]);
    expect(here.status).equal(200);
    expect(cookiesOf(here).map((cookie) => cookie.split("=")[0])).members([
      "lc_access_token",
      "lc_refresh_token",
      "lc_device_id",
      "lc_binding",
      "lc_signed_in",
    ]);
    // The refused attempts used nothing up.
    shows("auth.cookie_mode.two_factor");
    expect((await accounts.finish(await accounts.begin(account), code)).status).equal(200);
  });

  it("finishes in no browser in which another one's device cookie was planted", async () => {
    const account = await accounts.protectedAccount();
    const [code = ""] = account.recoveryCodes;
    const begun = await inBrowser(account);
    const [device = "", own = ""] = cookiesOf(begun);
    const [othersDevice = "", others = ""] = cookiesOf(await inBrowser(await accounts.protectedAccount()));
    const finish = (...cookies: string[]) =>
      world.api.call("finishLogin", {
        body: { two_factor_token: tokenOf(begun), code },
        headers: { cookie: cookies.join("; "), "sec-fetch-site": "same-origin" },
      });

    expect((await finish(device)).code).equal("invalid_token");
    expect((await finish(device, others)).code).equal("invalid_token");
    expect(refusalsOf(account.id)).deep.equal(["other_device", "other_device"]);
    expect((await finish(othersDevice, device, own)).status).equal(200);
  });

  it("finishes by the sign-in of its own binding alone, also in a browser without Sec-Fetch-Site", async () => {
    const account = await accounts.protectedAccount();
    const [code = ""] = account.recoveryCodes;
    const begun = await inBrowser(account);
    const [device = "", own = ""] = cookiesOf(begun);
    const [othersDevice = "", others = ""] = cookiesOf(await inBrowser(await accounts.protectedAccount()));
    const finish = (...cookies: string[]) =>
      world.api.call("finishLogin", {
        body: { two_factor_token: tokenOf(begun), code },
        headers: { cookie: cookies.join("; ") },
      });

    expect((await finish(othersDevice, device, others)).code).equal("invalid_token");
    expect((await finish(device, own)).status).equal(200);
  });

  it("finishes without a binding where a worker of an earlier release began it", async () => {
    const account = await accounts.protectedAccount();
    const [code = ""] = account.recoveryCodes;
    const begun = await inBrowser(account);
    const [device = ""] = cookiesOf(begun);
    await world.core.mongo.db
      .collection("pending_sign_ins")
      .updateOne({ userId: account.id }, { $unset: { isBound: true } });

    const finished = await world.api.call("finishLogin", {
      body: { two_factor_token: tokenOf(begun), code },
      headers: { cookie: device, "sec-fetch-site": "same-origin" },
    });

    expect(finished.status).equal(200);
  });

  it("isn't finished in bearer mode with another's device, nor by cookies", async () => {
    const account = await accounts.protectedAccount();
    const [code = "", other = ""] = account.recoveryCodes;
    const body = { login: account.username, password: PASSWORD };
    const { two_factor_token, device_id } = await accounts.bearer.ok("login", { body });
    const token = String(two_factor_token);

    const elsewhere = await accounts.finish(token, code, (await accounts.account()).device);
    const byCookie = await finishInBrowser(token, code, `lc_device_id=${device_id}`);
    const here = await accounts.finish(token, other, device_id);

    expect([elsewhere.code, byCookie.code, here.status]).deep.equal(["invalid_token", "invalid_token", 200]);
    expect(refusalsOf(account.id)).deep.equal(["other_device", "other_mode"]);
  });

  it("becomes a session with another device than was given out before, which isn't a known one", async () => {
    const account = await accounts.protectedAccount();
    const [code = ""] = account.recoveryCodes;
    const body = { login: account.username, password: PASSWORD };
    const pending = await accounts.bearer.ok("login", { body });

    const signedIn = Object((await accounts.finish(String(pending.two_factor_token), code)).body);

    const ids = [pending, signedIn].map(({ device_id }) => String(device_id).split(".")[0]);
    expect(new Set(ids).size).equal(2);
    const lines = () => world.auditedOf("sign_in.password_accepted", account.id);
    await accounts.begin(account, { device_id: pending.device_id });
    await accounts.begin(account, { device_id: signedIn.device_id });
    expect(lines().map(({ device }) => device)).deep.equal(["new", "new", "known"]);
  });

  it("makes one session, with whatever codes at once", async () => {
    const account = await accounts.protectedAccount();
    const token = await accounts.begin(account);

    const answers = await Promise.all(
      account.recoveryCodes.slice(0, 3).map((code) => accounts.finish(token, code)),
    );

    expect(tally(answers)).deep.equal({ "200": 1, invalid_token: 2 });
    expect((await account.api.ok("listSessions")).items).length(2);
    expect((await accounts.finish(token, account.recoveryCodes[3] ?? "")).code).equal("invalid_token");
    expect(refusalsOf(null)).include("unknown_sign_in");
  });

  it("is over after five minutes", async () => {
    const account = await accounts.protectedAccount();
    const [code = ""] = account.recoveryCodes;
    const [first, second] = [await accounts.begin(account), await accounts.begin(account)];

    clock.move(5 * 60_000 - 5_000);
    expect((await accounts.finish(first, code)).status).equal(200);
    clock.move(6_000);
    expect((await accounts.finish(second, account.recoveryCodes[1] ?? "")).code).equal("invalid_token");
    expect(refusalsOf(account.id)).deep.equal(["expired_sign_in"]);
  });

  it("is over when the account has another password", async () => {
    const account = await accounts.protectedAccount();
    const token = await accounts.begin(account);
    const users = world.core.mongo.db.collection<{ _id: string; passwordHash: string }>("users");
    await users.updateOne({ _id: account.id }, { $set: { passwordHash: "$argon2id$another" } });

    expect((await accounts.finish(token, account.recoveryCodes[0] ?? "")).code).equal("invalid_token");
    expect(refusalsOf(account.id)).deep.equal(["other_password"]);
  });

  it("is over when the link with a provider that began it is gone, though its code is used up", async () => {
    const account = await accounts.protectedAccount();
    const token = await accounts.begin(account);
    const pending = world.core.mongo.db.collection("pending_sign_ins");
    await pending.updateOne({ userId: account.id }, { $set: { linkId: newId() } });

    expect((await accounts.finish(token, account.recoveryCodes[0] ?? "")).code).equal("invalid_token");
    expect(refusalsOf(account.id)).deep.equal(["changed_meanwhile"]);
    const used = world.audited.filter((line) => line.event === "recovery_code.used");
    expect(used.map(({ accountId }) => accountId)).include(account.id);
  });

  it("isn't finished for a banned account", async () => {
    const account = await accounts.protectedAccount();
    const token = await accounts.begin(account);
    await world.core.accountBans.ban(account.id, { userId: null, origin: null });

    expect((await accounts.finish(token, account.recoveryCodes[0] ?? "")).code).equal("account_banned");
  });
});
