import { expect } from "chai";
import { createBrowser } from "../../../support/browser.ts";
import { movableClock } from "../../../support/clock.ts";
import { givenPasskey, newPasskey, ORIGIN } from "../../../support/passkey.ts";
import { openWorld, type World } from "../../../support/world.ts";
import { afterNextRead } from "../oauth/interposed-read.ts";
import { cookiesOf } from "../session-modes.ts";
import { passkeySignInsIn } from "./sign-ins.ts";

describe("signing in with a passkey", () => {
  const clock = movableClock();
  let world: World;
  let o: ReturnType<typeof passkeySignInsIn>;

  before(async () => {
    world = await openWorld({ clock });
    o = passkeySignInsIn(world);
  });
  after(() => world?.close());

  it("signs in in bearer mode as a login does, without a second step", async () => {
    const account = await o.withPasskey();

    const { status, body } = await o.signIn(account.passkey);

    expect(status).equal(200);
    expect(body).have.all.keys(
      "access_token",
      "refresh_token",
      "device_id",
      "user",
      "requires_2fa",
      "two_factor_token",
    );
    expect(body).include({ requires_2fa: false, two_factor_token: null });
    const api = world.api.as({ token: Object(body).access_token });
    expect(await api.ok("getMe")).include({ id: account.id });
    const [shown] = (await api.ok("listPasskeys")).items;
    expect(shown?.last_used_at).match(/^\d{4}-/);
    expect(world.auditedOf("sign_in.succeeded", account.id)).length(1);
  });

  it("signs a browser in by cookies, in which it was begun", async () => {
    const { passkey, id } = await o.withPasskey();
    const begun = await world.api.call("startPasskeySignIn");
    const { lc_passkey: bound } = cookiesOf(begun);
    expect(bound?.attributes).deep.include({ "max-age": "300", path: "/", httponly: "", samesite: "Strict" });

    const credential = passkey.get(world.api.bodyOf("startPasskeySignIn", begun));
    const headers = { cookie: `lc_passkey=${bound?.value}` };
    const done = await world.api.call("signInWithPasskey", { body: { credential }, headers });

    expect(done.status).equal(200);
    expect(done.body).not.have.property("access_token");
    expect(Object.keys(cookiesOf(done))).members([
      "lc_access_token",
      "lc_refresh_token",
      "lc_device_id",
      "lc_binding",
      "lc_signed_in",
    ]);
    const me = world.api.with({
      cookie: Object.entries(cookiesOf(done))
        .map(([name, { value }]) => `${name}=${value}`)
        .join("; "),
    });
    expect(await me.ok("getMe")).include({ id });
  });

  it("signs no browser in by a challenge that another browser or a program began", async () => {
    const { passkey } = await o.withPasskey();
    const begin = async () => {
      const begun = await world.api.call("startPasskeySignIn");
      const options = world.api.bodyOf("startPasskeySignIn", begun);
      return { options, cookie: `lc_passkey=${cookiesOf(begun).lc_passkey?.value}` };
    };
    const inBrowser = (credential: object, headers: Record<string, string>) =>
      world.api.call("signInWithPasskey", { body: { credential }, headers });
    const { cookie } = await begin();

    const elsewhere = await inBrowser(passkey.get((await begin()).options), { cookie });
    const nowhere = await inBrowser(passkey.get((await begin()).options), {});
    const byProgram = await inBrowser(passkey.get(await o.start()), { cookie });
    const byProgramWithout = await inBrowser(passkey.get(await o.start()), {});
    const asProgram = await o.finish(passkey.get((await begin()).options));

    expect([elsewhere, nowhere, byProgram, byProgramWithout, asProgram].map(({ code }) => code)).deep.equal(
      Array(5).fill("passkey_refused"),
    );
  });

  it("keeps the browser's secret in a cookie that no other host can set", async () => {
    const other = await openWorld({ clock, plainCookiesHere: false });
    try {
      const by = createBrowser({ [ORIGIN]: other.baseUrl });
      const answer = await by.request(`${ORIGIN}/v1/auth/passkey/options`, { method: "POST" });
      const [line = ""] = answer.headers.getSetCookie();
      expect(line).match(
        /^__Host-lc_passkey=[\w-]{43}; Max-Age=300; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      );
    } finally {
      await other.close();
    }
  });

  it("needs no code of an account with two factors, whose session then counts as one with both", async () => {
    const account = await o.accounts.protectedAccount();
    const { passkey } = await givenPasskey(account.api);
    await world.core.staff.setStaff(account.username, true, { userId: null, origin: null });

    const { body } = await o.signIn(passkey);

    expect(body).include({ requires_2fa: false });
    const api = world.api.as({ token: Object(body).access_token });
    expect((await api.call("listReports")).status).equal(200);
  });

  it("doesn't make staff able to act without two-factor authentication", async () => {
    const account = await o.withPasskey();
    await world.core.staff.setStaff(account.username, true, { userId: null, origin: null });
    const { body } = await o.signIn(account.passkey);

    const api = world.api.as({ token: Object(body).access_token });
    expect((await api.call("listReports")).code).equal("two_factor_required");
  });

  it("knows the device again", async () => {
    const { passkey, id } = await o.withPasskey();
    const { device_id } = Object((await o.signIn(passkey)).body);

    await o.finish(passkey.get(await o.start()), { device_id });

    expect(world.auditedOf("sign_in.succeeded", id).map(({ device }) => device)).deep.equal(["new", "known"]);
  });

  it("refuses a removed passkey, and ends the sessions that it began, but for the one that removes it", async () => {
    const { api, passkey, made } = await o.withPasskey();
    const [own, other] = [await o.signIn(passkey), await o.signIn(passkey)].map(({ body }) =>
      world.api.as({ token: Object(body).access_token }),
    );

    await own?.ok("deletePasskey", { params: { passkey_id: made.id } });

    expect((await own?.call("getMe"))?.status).equal(200);
    expect((await other?.call("getMe"))?.code).equal("invalid_token");
    expect((await api.call("getMe")).status).equal(200);
    expect((await o.signIn(passkey)).code).equal("passkey_refused");
  });

  it("opens no session when the passkey is removed while it signs in", async () => {
    const { api, id, passkey, made } = await o.withPasskey();
    const credential = passkey.get(await o.start());

    const wasBetween = afterNextRead("users", id, () =>
      world.core.mongo.db.collection<{ _id: string }>("passkeys").deleteOne({ _id: made.id }),
    );
    const answer = await o.finish(credential);

    expect([wasBetween(), answer.code]).deep.equal([true, "passkey_refused"]);
    expect((await api.ok("listSessions")).items).length(1);
    expect(o.refusalsOf(id)).deep.equal(["changed_meanwhile"]);
  });

  it("stays when its owner ends all sessions", async () => {
    const { api, passkey } = await o.withPasskey();
    await api.ok("endSessions");
    expect((await o.signIn(passkey)).status).equal(200);
  });

  it("refuses a banned account with what an appeal needs", async () => {
    const { passkey, id } = await o.withPasskey();
    await world.core.accountBans.ban(id, { userId: null, origin: null });

    const refused = await o.signIn(passkey);

    expect(refused).include({ status: 403, code: "account_banned" });
    expect(refused.details.appeal_token).a("string");
    expect((await o.finish(newPasskey().get(await o.start()))).code).equal("passkey_refused");
  });
});
