import { expect } from "chai";
import { shows } from "../../../../contract/coverage/shows.ts";
import type { SessionDoc } from "../../../../store/mongo/accounts/sessions.ts";
import type { TwoFactorDoc } from "../../../../store/mongo/accounts/two-factor.ts";
import { movableClock } from "../../../support/clock.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { accountsIn, PASSWORD, STEP_MS, tally } from "./account.ts";

describe("Switching two-factor authentication", () => {
  const clock = movableClock();
  let world: World;
  let accounts: ReturnType<typeof accountsIn>;

  before(async () => {
    world = await openWorld({ clock });
    accounts = accountsIn(world);
  });
  after(() => world?.close());

  const login = (username: string) =>
    accounts.bearer.ok("login", { body: { login: username, password: PASSWORD } });
  const mailsTo = (userId: string) =>
    world.core.mongo.db
      .collection<{ _id: string }>("mails")
      .find({ userId, template: { $in: ["two_factor_enabled", "two_factor_changed"] } })
      .toArray();

  it("changes nothing before a code has verified the set-up", async () => {
    const { api, username } = await accounts.account();

    const { secret, otpauth_url, qr_code, recovery_codes = [] } = await api.ok("setUpTwoFactor");

    expect(secret).match(/^[A-Z2-7]{32}$/);
    expect(new URL(otpauth_url).searchParams.get("secret")).equal(secret);
    expect(qr_code).match(/^data:image\/png;base64,/);
    expect(new Set(recovery_codes).size).equal(10);
    expect(await login(username)).include({ requires_2fa: false });
    const code = recovery_codes[0] ?? "";
    for (const [operation, body] of [
      ["renewRecoveryCodes", { code }],
      ["disableTwoFactor", { password: PASSWORD, code }],
    ] as const) {
      expect((await api.call(operation, { body })).code).equal("invalid_state");
    }
    shows("auth.two_factor.enrolment");
  });

  it("takes the newest set-up alone, within an hour", async () => {
    const { api } = await accounts.account();
    const [first, second] = [await api.ok("setUpTwoFactor"), await api.ok("setUpTwoFactor")];

    const verify = (secret: string) =>
      api.call("verifyTwoFactor", { body: { code: accounts.codeOf({ secret }) } });
    expect((await verify(first.secret)).code).equal("invalid_code");
    expect((await verify(second.secret)).body).deep.equal({ enabled: true });
    expect((await verify(second.secret)).code).equal("invalid_state");
    expect((await api.call("setUpTwoFactor")).code).equal("invalid_state");
    expect(JSON.stringify(await api.ok("getMe"))).not.include("recovery_codes");
    shows("absent TwoFactorSetup.recovery_codes");

    const late = await accounts.account();
    const setUp = await late.api.ok("setUpTwoFactor");
    const users = world.core.mongo.db.collection<TwoFactorDoc>("two_factors");
    await users.updateOne({ _id: late.id }, { $set: { "pending.expiresAt": new Date(clock.now() - 1) } });
    const body = { code: accounts.codeOf(setUp) };
    expect((await late.api.call("verifyTwoFactor", { body })).code).equal("invalid_state");
  });

  it("is done once by requests at once", async () => {
    const { api, id } = await accounts.account();
    const { secret } = await api.ok("setUpTwoFactor");
    const body = { code: accounts.codeOf({ secret }) };

    const answers = await Promise.all([1, 2, 3].map(() => api.call("verifyTwoFactor", { body })));

    expect(tally(answers)).deep.equal({ "200": 1, invalid_state: 2 });
    expect(world.auditedOf("two_factor.enabled", id)).length(1);
  });

  it("ends every other session when it comes on, and when it goes off", async () => {
    const account = await accounts.account();
    const { access_token: token = "", refresh_token } = await login(account.username);
    const other = world.api.as({ token });

    const { secret, recovery_codes = [] } = await account.api.ok("setUpTwoFactor");
    expect((await account.api.ok("getMe")).two_factor_enabled).equal(false);
    await account.api.ok("verifyTwoFactor", { body: { code: accounts.codeOf({ secret }) } });

    expect((await account.api.ok("getMe")).two_factor_enabled).equal(true);
    expect((await other.call("getMe")).code).equal("invalid_token");
    expect((await accounts.bearer.call("refresh", { body: { refresh_token } })).code).equal("invalid_token");
    const [one = "", two = ""] = recovery_codes;
    const later = Object((await accounts.finish(await accounts.begin(account), one)).body).access_token;
    await account.api.ok("disableTwoFactor", { body: { password: PASSWORD, code: two } });
    expect((await world.api.as({ token: later }).call("getMe")).code).equal("invalid_token");
    expect((await account.api.ok("getMe")).two_factor_enabled).equal(false);
    expect(await login(account.username)).include({ requires_2fa: false });
  });

  it("ends a session of a sign-in that ran beside it, at the latest with its refresh", async () => {
    const account = await accounts.account();
    const beside = await login(account.username);
    const { secret } = await account.api.ok("setUpTwoFactor");
    await account.api.ok("verifyTwoFactor", { body: { code: accounts.codeOf({ secret }) } });
    // As if its row had come to be right after the others ended.
    const sessions = world.core.mongo.db.collection<SessionDoc>("sessions");
    const [sessionId = ""] = beside.device_id.split(".");
    await sessions.updateOne(
      { _id: sessionId },
      { $set: { endedAt: null, endReason: null, expiresAt: new Date(clock.now() + 60_000) } },
    );

    const body = { refresh_token: beside.refresh_token };
    expect((await accounts.bearer.call("refresh", { body })).code).equal("invalid_token");
    expect((await sessions.findOne({ _id: sessionId }))?.endedAt).instanceOf(Date);
  });

  it("takes password and code to go off", async () => {
    const account = await accounts.protectedAccount();
    clock.move(2 * STEP_MS);
    const code = accounts.codeOf(account);
    const off = (body: object) => account.api.call("disableTwoFactor", { body });

    expect((await off({ password: "not the password", code })).code).equal("invalid_credentials");
    expect((await off({ password: PASSWORD, code: "h7kq2m-x9vtb4-n8rdc6-z5wyp3" })).code).equal(
      "invalid_code",
    );
    expect((await off({ code })).code).equal("invalid_credentials");
    expect((await off({ password: PASSWORD, code })).status).equal(204);
    expect((await off({ password: PASSWORD, code })).code).equal("invalid_state");
  });

  it("leaves neither secret nor code readable in the database", async () => {
    const account = await accounts.protectedAccount();
    const { api, id } = await accounts.account();
    const { secret, recovery_codes = [] } = await api.ok("setUpTwoFactor");
    const token = await accounts.begin(account);
    const db = world.core.mongo.db;
    const rows = await Promise.all(
      ["two_factors", "pending_sign_ins", "users", "mails"].map((name) =>
        db.collection(name).find().toArray(),
      ),
    );
    const text = JSON.stringify(rows);
    expect(text).include(id);
    for (const shown of [secret, ...recovery_codes, account.secret, ...account.recoveryCodes, token]) {
      expect(text).not.include(shown);
      expect(text).not.include(shown.replaceAll("-", ""));
    }
    shows("auth.two_factor.shown_once");
  });

  it("opens no secret that was copied from another account", async () => {
    const [owner, thief] = [await accounts.protectedAccount(), await accounts.protectedAccount()];
    const rows = world.core.mongo.db.collection<TwoFactorDoc>("two_factors");
    const secretSealed = (await rows.findOne({ _id: thief.id }))?.secretSealed ?? "";
    await rows.updateOne({ _id: owner.id }, { $set: { secretSealed } });
    clock.move(2 * STEP_MS);

    const own = await accounts.finish(await accounts.begin(thief), accounts.codeOf(thief));
    const others = await accounts.finish(await accounts.begin(owner), accounts.codeOf(thief));

    expect([own.status, others.status]).deep.equal([200, 500]);
  });

  it("is mailed to a verified address, each change once", async () => {
    const account = await accounts.account();
    const users = world.core.mongo.db.collection<{ _id: string; emailVerifiedAt: Date }>("users");
    await users.updateOne({ _id: account.id }, { $set: { emailVerifiedAt: new Date() } });
    const { secret, recovery_codes = [] } = await account.api.ok("setUpTwoFactor");
    await account.api.ok("verifyTwoFactor", { body: { code: accounts.codeOf({ secret }) } });
    expect(await mailsTo(account.id)).length(1);
    const [one = "", two = ""] = recovery_codes;
    expect((await accounts.finish(await accounts.begin(account), one)).status).equal(200);
    expect(await mailsTo(account.id)).length(2);
    const made = await account.api.ok("renewRecoveryCodes", { body: { code: two } });
    expect(await mailsTo(account.id)).length(3);
    const body = { password: PASSWORD, code: made.recovery_codes[0] };
    await account.api.ok("disableTwoFactor", { body });
    expect(await mailsTo(account.id)).length(4);
  });
});
