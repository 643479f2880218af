import { randomBytes, randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { Accounts } from "../../actors/accounts/accounts.ts";
import { ENDING_REASONS } from "../../actors/accounts/tokens/session-endings.ts";
import { AUDIT_EVENTS, type AuditEvent, type AuditFields, OPERATOR } from "../../base/audit.ts";
import { DAY_MS } from "../../base/durations.ts";
import { type Opened, openAccounts, origin, PASSWORD } from "../api/accounts/open-accounts.ts";
import { Socket } from "../realtime/gateway/world.ts";
import type { Api, CallOptions, OperationId } from "../support/api.ts";
import { movableClock } from "../support/clock.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { mailboxOf, tokenIn } from "../support/mailbox.ts";
import { givenPasskey } from "../support/passkey.ts";
import { givenStaffMember, givenTwoFactor } from "../support/two-factor.ts";
import { openWorld, type World } from "../support/world.ts";

/** A PNG. */
const ONE_PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
/** What every line has; `level`, `time`, `process`, `pid` and `msg` are the logger's. */
const ALWAYS = ["address", "audit", "event", "level", "msg", "pid", "process", "requestId", "time", "userId"];

/** The fields that a line of that event has. */
type LineFields<Event extends AuditEvent> = {
  userId: string | null;
  requestId?: string;
} & AuditFields<Event>;

type Account = Awaited<ReturnType<ReturnType<typeof peopleOf>["account"]>>;

/** Everybody through the public API, with every secret that it gave out or took. */
function peopleOf(world: World) {
  const secrets = new Map<string, string>();
  const secret = (name: string, value: unknown): string => {
    secrets.set(`${name} ${secrets.size}`, String(value));
    return String(value);
  };

  async function account() {
    const username = `au_${randomBytes(8).toString("hex")}`;
    const password = secret("password", randomBytes(12).toString("hex"));
    const bearer = world.api.with({ "x-auth-mode": "bearer" });
    const email = `${username}@example.com`;
    const made = await bearer.ok("register", { body: { username, email, password } });
    secret("device", made.device_id.split(".")[1]);
    const refresh = secret("refresh token", made.refresh_token);
    const token = secret("access token", made.access_token);
    const api = world.api.as({ token });
    const stream = await api.ok("getMyStream");
    secret("stream key", stream.stream_key);
    const sessionId = made.device_id.split(".")[0] ?? "";
    if (!made.user) throw new Error("a new account is signed in at once");
    const as = { id: made.user.id, username, email, password, api, bearer };
    return { ...as, device: made.device_id, refresh, sessionId, streamId: stream.id };
  }
  return { secrets, secret, account };
}

describe("The audit log of a process that signs", () => {
  let opened: Opened;
  const others: Accounts[] = [];
  before(async () => {
    opened = await openAccounts();
  });
  after(async () => {
    await Promise.all(others.map((other) => other.stop()));
    await opened.close();
  });

  it("has a line for signing_key.rotated, by the one that made the key", async () => {
    const made = () => opened.audited.filter(({ event }) => event === "signing_key.rotated");
    const atStart = made().length;
    const { username } = await opened.account();

    opened.clock.move(31 * DAY_MS);
    others.push(opened.another(), opened.another());
    await Promise.all(others.map((other) => other.start()));
    await opened.accounts.signIn.login({ login: username, password: PASSWORD, knownDevice: null }, origin);

    expect(atStart).within(1, 2);
    const lines = made();
    const kids = opened.accounts.tokens.jwks().keys.map(({ kid }) => kid);
    expect(lines.length).within(2, 3);
    expect(lines.map(({ kid }) => kid)).include.members(kids);
    expect(new Set(lines.map(({ period }) => period)).size).equal(lines.length);
    expect(lines[0]).include({ userId: null, address: null, requestId: null });
  });
});

describe("The audit log", function () {
  this.timeout(60_000);
  let world: World;
  let identityProvider: IdentityProvider;
  let people: ReturnType<typeof peopleOf>;
  let owner: Account;
  let someone: Account;
  let request = "";

  before(async () => {
    identityProvider = await startIdentityProvider("one");
    const oauth = {
      providers: [identityProvider.appSetting()],
      returnUrls: ["https://app.example/"],
    } as const;
    world = await openWorld({ clock: movableClock(), oauth, sendsMails: true });
    people = peopleOf(world);
    owner = await people.account();
    someone = await people.account();
  });
  after(async () => {
    await world.close();
    await identityProvider.close();
  });

  /** A request by which its audit line is found. */
  const call = (api: Api, operation: OperationId, options: CallOptions = {}) =>
    api.with({ "x-request-id": request }).call(operation, options);
  const login = (account: Account, password: string, device?: string) => {
    const body = { login: account.username, password, ...(device ? { device_id: device } : {}) };
    return call(account.bearer, "login", { body });
  };
  const wrong = () => people.secret("wrong password", randomBytes(12).toString("hex"));
  const bodyOf = (answer: { body: unknown }): Record<string, unknown> => ({ ...Object(answer.body) });
  const onSomeone = () => ({ params: { stream_id: owner.streamId, user_id: someone.id } });
  const onRoom = () => ({ streamId: owner.streamId, accountId: someone.id });
  const hook = (headers: Record<string, string>) =>
    call(world.api, "ingestPublish", {
      body: `call=publish&addr=127.0.0.1&clientid=1&name=${people.secret("unknown key", randomBytes(12).toString("hex"))}`,
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });

  async function staffAnd() {
    const [staff, struckOne] = [await people.account(), await people.account()];
    await givenStaffMember(world.core, staff);
    return { staff, struckOne, account_id: struckOne.id };
  }

  const png = { body: ONE_PIXEL, headers: { "content-type": "image/png" } };

  async function globalEmote() {
    const { staff } = await staffAnd();
    const query = { name: `e${randomBytes(8).toString("hex")}` };
    return { staff, emoteId: String(bodyOf(await call(staff.api, "addGlobalEmote", { ...png, query })).id) };
  }

  async function globalBadge() {
    const { staff } = await staffAnd();
    const query = { name: "Tester" };
    return { staff, badgeId: String(bodyOf(await call(staff.api, "addGlobalBadge", { ...png, query })).id) };
  }

  async function category() {
    const { staff } = await staffAnd();
    const body = { name: `Category ${randomBytes(4).toString("hex")}` };
    return { staff, category_id: (await staff.api.ok("createCategory", { body })).id };
  }

  async function struck() {
    const both = await staffAnd();
    const params = { account_id: both.account_id };
    return {
      ...both,
      strike: await both.staff.api.ok("giveStrike", { params, body: { reason: "Insults" } }),
    };
  }

  /** Somebody whose address was proven. */
  async function verified() {
    const made = await people.account();
    const token = tokenIn(await mailboxOf(world).next(`${made.username}@example.com`, /Verify/));
    await call(world.api, "verifyEmail", { body: { token: people.secret("link", token) } });
    return made;
  }

  /** Somebody who has another address by now. */
  async function moved() {
    const made = await verified();
    const email = `${made.username}@example.net`;
    await call(made.api, "updateMe", { body: { email, password: made.password } });
    const token = tokenIn(await mailboxOf(world).next(email, /Confirm/));
    await call(world.api, "verifyEmail", { body: { token: people.secret("link", token) } });
    return made;
  }

  /** How each event comes about, and the fields of its line. An event without an entry doesn't compile. */
  const happen: {
    [Event in Exclude<
      AuditEvent,
      // In specs/api/accounts/sign-up-modes.spec.ts.
      | "invitation.used"
      | "signing_key.rotated"
      | "master_key.resealed"
      | "account.erased"
      | "database.restored"
      | "outbox.released"
      | "outbox.dropped"
    >]: () => Promise<LineFields<Event>>;
  } = {
    registered: async () => {
      const username = `au_${randomBytes(8).toString("hex")}`;
      const body = { username, email: `${username}@example.com`, password: wrong() };
      const made = await call(owner.bearer, "register", { body });
      return { userId: String(Object(bodyOf(made).user).id) };
    },
    "sign_in.succeeded": async () => {
      const answer = bodyOf(await login(owner, owner.password, owner.device));
      people.secret("access token", answer.access_token);
      people.secret("refresh token", answer.refresh_token);
      const [sessionId = "", device = ""] = String(answer.device_id).split(".");
      people.secret("device", device);
      return { userId: owner.id, sessionId, device: "known" };
    },
    "sign_in.refused": async () => {
      await login(owner, wrong());
      return { userId: owner.id, reason: "wrong_password" };
    },
    "sign_in.password_accepted": async () => {
      const account = await people.account();
      await givenTwoFactor(world.core, account.api);
      people.secret("two-factor token", bodyOf(await login(account, account.password)).two_factor_token);
      return { userId: account.id, device: "new" };
    },
    "sign_in.provider_accepted": async () => {
      const account = await people.account();
      const params = { provider: "app" };
      const code = () => identityProvider.nativeCode(account.username);
      await account.api.ok("linkProvider", { params, body: await code() });
      await givenTwoFactor(world.core, account.api);
      const answer = bodyOf(await call(account.bearer, "signInWithOauth", { params, body: await code() }));
      people.secret("two-factor token", answer.two_factor_token);
      return { userId: account.id, device: "new" };
    },
    "step_up.succeeded": async () => {
      const { api, id: userId, sessionId, password } = await people.account();
      await call(api, "stepUp", { body: { password } });
      return { userId, sessionId };
    },
    "two_factor.enabled": async () => {
      const { api, id: userId } = await people.account();
      await givenTwoFactor(world.core, api.with({ "x-request-id": request }));
      return { userId, accountId: userId };
    },
    "two_factor.disabled": async () => {
      const { api, id: userId, password } = await people.account();
      const { secret, recoveryCodes } = await givenTwoFactor(world.core, api);
      people.secret("authenticator", secret);
      const body = { password, code: people.secret("recovery code", recoveryCodes[0]) };
      await call(api, "disableTwoFactor", { body });
      return { userId, accountId: userId };
    },
    "passkey.added": async () => {
      const { api, id: userId } = await people.account();
      const { made } = await givenPasskey(api.with({ "x-request-id": request }));
      return { userId, passkeyId: made.id };
    },
    "passkey.removed": async () => {
      const { api, id: userId } = await people.account();
      const { made } = await givenPasskey(api);
      await call(api, "deletePasskey", { params: { passkey_id: made.id } });
      return { userId, passkeyId: made.id };
    },
    "passkey.counter_regressed": async () => {
      const { api, id: userId, bearer } = await people.account();
      const { passkey, made } = await givenPasskey(api);
      const start = () => bearer.ok("startPasskeySignIn");
      await bearer.ok("signInWithPasskey", {
        body: { credential: passkey.get(await start(), { counter: 5 }) },
      });
      await call(bearer, "signInWithPasskey", {
        body: { credential: passkey.get(await start(), { counter: 4 }) },
      });
      return { userId, passkeyId: made.id };
    },
    "recovery_code.used": async () => {
      const { api, id: userId } = await people.account();
      const { recoveryCodes } = await givenTwoFactor(world.core, api);
      await call(api, "stepUp", { body: { code: recoveryCodes[0] } });
      return { userId, accountId: userId };
    },
    "recovery_codes.renewed": async () => {
      const { api, id: userId } = await people.account();
      const { recoveryCodes } = await givenTwoFactor(world.core, api);
      await call(api, "renewRecoveryCodes", { body: { code: recoveryCodes[0] } });
      return { userId, accountId: userId };
    },
    "sign_in.throttled": async () => {
      for (let i = 0; i < 6; i++) await login(someone, wrong());
      return { userId: someone.id, bucket: "login", retryAfterMs: 60_000 };
    },
    "reauthentication.refused": async () => {
      await call(owner.api, "updateMe", { body: { email: "other@example.com", password: wrong() } });
      return { userId: owner.id, purpose: "email" };
    },
    "reauthentication.throttled": async () => {
      const body = { email: "other@example.com", password: wrong() };
      for (let i = 0; i < 6; i++) await call(someone.api, "updateMe", { body });
      return { userId: someone.id, purpose: "email", bucket: "login", retryAfterMs: 60_000 };
    },
    "oauth.linked": async () => {
      const body = await identityProvider.nativeCode("somebody there");
      await call(someone.api, "linkProvider", { params: { provider: "app" }, body });
      return { userId: someone.id, provider: "app", how: "asked" };
    },
    "oauth.unlinked": async () => {
      await call(someone.api, "unlinkProvider", { params: { provider: "app" } });
      return { userId: someone.id, provider: "app" };
    },
    sign_out: async () => {
      const { api, id: userId, sessionId } = await people.account();
      await call(api, "logout");
      return { userId, sessionId };
    },
    "session.ended": async () => {
      const { api, id: userId, sessionId } = await people.account();
      await call(api, "endSession", { params: { session_id: sessionId } });
      return { userId, sessionId, accountId: userId, reason: "removed" };
    },
    "api_token.created": async () => {
      const { api, id: userId } = await people.account();
      const made = bodyOf(
        await call(api, "createApiToken", { body: { name: "bot", scopes: ["chat:send"] } }),
      );
      people.secret("API token", made.token);
      return { userId, grantId: String(made.id), scopes: "chat:send" };
    },
    "api_token.ended": async () => {
      const { api, id: userId } = await people.account();
      const { id, token } = await api.ok("createApiToken", { body: { name: "bot" } });
      people.secret("API token", token);
      await call(api, "deleteApiToken", { params: { token_id: id } });
      return { userId, grantId: id, accountId: userId, reason: "removed" };
    },
    "refresh_token.reused": async () => {
      const { bearer, refresh, id: userId, sessionId } = await people.account();
      const { refresh_token: second } = await bearer.ok("refresh", { body: { refresh_token: refresh } });
      const body = { refresh_token: people.secret("refresh token", second) };
      people.secret("refresh token", (await bearer.ok("refresh", { body })).refresh_token);
      await call(bearer, "refresh", { body: { refresh_token: refresh } });
      return { userId, sessionId };
    },
    "username.changed": async () => {
      const { api, id: userId, username: from } = await people.account();
      const to = `au_${randomBytes(8).toString("hex")}`;
      await call(api, "updateMe", { body: { username: to } });
      return { userId, from, to };
    },
    "email.change_requested": async () => {
      const { api, id: userId, username, password } = await people.account();
      await call(api, "updateMe", { body: { email: `${username}@example.net`, password } });
      return { userId };
    },
    "password.changed": async () => {
      const { api, id: userId, password } = await people.account();
      const next = people.secret("new password", randomBytes(12).toString("hex"));
      await call(api, "changePassword", { body: { current_password: password, new_password: next } });
      return { userId };
    },
    "account.deleted": async () => {
      const { api, id: userId, password } = await people.account();
      await call(api, "deleteMe", { body: { password } });
      return { userId };
    },
    "account.restored": async () => {
      const account = await people.account();
      await account.api.ok("deleteMe", { body: { password: account.password } });
      const back = bodyOf(await login(account, account.password));
      people.secret("access token", back.access_token);
      people.secret("refresh token", back.refresh_token);
      return { userId: account.id };
    },
    "account.exported": async () => {
      const { api, id: userId } = await people.account();
      await call(api, "exportMe");
      return { userId };
    },
    "email.verified": async () => ({ userId: (await verified()).id }),
    "email.changed": async () => ({ userId: (await moved()).id }),
    "email.restored": async () => {
      const { id: userId, username } = await moved();
      const { text } = await mailboxOf(world).next(`${username}@example.com`, /address of/);
      await call(world.api, "undoEmailChange", { body: { token: people.secret("link", tokenIn({ text })) } });
      return { userId };
    },
    "password.reset": async () => {
      const { id: userId, username } = await people.account();
      const email = `${username}@example.com`;
      await call(world.api, "forgotPassword", { body: { email } });
      const token = people.secret("link", tokenIn(await mailboxOf(world).next(email, /Reset/)));
      await call(world.api, "resetPassword", { body: { token, password: wrong() } });
      return { userId };
    },
    "account.banned": async () => {
      const { staff, account_id } = await staffAnd();
      await call(staff.api, "banAccount", { params: { account_id }, body: { reason: "Insults" } });
      return { userId: staff.id, accountId: account_id };
    },
    "account.unbanned": async () => {
      const { staff, account_id } = await staffAnd();
      await world.core.accountBans.ban(account_id, OPERATOR);
      await call(staff.api, "unbanAccount", { params: { account_id } });
      return { userId: staff.id, accountId: account_id };
    },
    "account.verified": async () => {
      const { staff, account_id } = await staffAnd();
      await call(staff.api, "updateUser", { params: { account_id }, body: { is_verified: true } });
      return { userId: staff.id, accountId: account_id, isVerified: true };
    },
    "invitation.created": async () => {
      const { staff } = await staffAnd();
      const made = bodyOf(await call(staff.api, "createInvitation", { body: {} }));
      people.secret("invitation", made.code);
      return { userId: staff.id, invitationId: String(made.id) };
    },
    "invitation.revoked": async () => {
      const { staff } = await staffAnd();
      const { id, code } = await staff.api.ok("createInvitation", { body: {} });
      people.secret("invitation", code);
      await call(staff.api, "revokeInvitation", { params: { invitation_id: id } });
      return { userId: staff.id, invitationId: id };
    },
    "strike.given": async () => {
      const { staff, account_id } = await staffAnd();
      const made = await call(staff.api, "giveStrike", {
        params: { account_id },
        body: { reason: "Insults" },
      });
      return { userId: staff.id, accountId: account_id, strikeId: String(bodyOf(made).id) };
    },
    "strike.revoked": async () => {
      const { staff, account_id, strike } = await struck();
      await call(staff.api, "revokeStrike", { params: { account_id, strike_id: strike.id } });
      return { userId: staff.id, accountId: account_id, strikeId: strike.id };
    },
    "staff.read": async () => {
      const { staff, account_id } = await staffAnd();
      await call(staff.api, "getUser", { params: { account_id } });
      return { userId: staff.id, operation: "getUser", ids: `account_id=${account_id}` };
    },
    "report.handled": async () => {
      const { staff, account_id } = await staffAnd();
      const about = { target_type: "user", target_id: account_id, reason_code: "spam" };
      await owner.api.ok("createReport", { body: about });
      const { items } = await staff.api.ok("listReports", { query: { per_page: 100 } });
      const reportId = items.find(({ target_id }) => target_id === account_id)?.id ?? "";
      await call(staff.api, "handleReport", { params: { report_id: reportId }, body: { action: "claim" } });
      return { userId: staff.id, reportId, accountId: account_id, action: "claim", measures: "" };
    },
    "appeal.handled": async () => {
      const { staff, account_id, struckOne, strike } = await struck();
      const subject = { subject_type: "strike", subject_id: strike.id };
      const message = "I was quoting somebody else.";
      const appeal = await struckOne.api.ok("createAppeal", { body: { ...subject, message } });
      await call(staff.api, "handleAppeal", { params: { appeal_id: appeal.id }, body: { action: "claim" } });
      return { userId: staff.id, appealId: appeal.id, accountId: account_id, action: "claim" };
    },
    "support.handled": async () => {
      const { staff } = await staffAnd();
      const body = { kind: "support", email: "a@example.com", subject: "Help", message: "How?" };
      const { id } = await owner.api.ok("createSupportRequest", { body });
      await call(staff.api, "handleSupportRequest", {
        params: { support_id: id },
        body: { status: "closed" },
      });
      return { userId: staff.id, supportId: id, action: "closed" };
    },
    "category.added": async () => {
      const { staff } = await staffAnd();
      const body = { name: `Category ${randomBytes(4).toString("hex")}` };
      const made = bodyOf(await call(staff.api, "createCategory", { body }));
      return { userId: staff.id, categoryId: String(made.id) };
    },
    "category.changed": async () => {
      const { staff, category_id } = await category();
      await call(staff.api, "updateCategory", { params: { category_id }, body: { tags: [] } });
      return { userId: staff.id, categoryId: category_id };
    },
    "category.removed": async () => {
      const { staff, category_id } = await category();
      await call(staff.api, "deleteCategory", { params: { category_id } });
      return { userId: staff.id, categoryId: category_id };
    },
    "featured.changed": async () => {
      const { staff } = await staffAnd();
      await call(staff.api, "setFeatured", { body: { user_ids: [owner.id, someone.id] } });
      return { userId: staff.id, accounts: `${owner.id} ${someone.id}` };
    },
    // `npm run staff` has its own spec.
    "staff.granted": async () => {
      const by = { userId: null, origin: { ...origin, requestId: request } };
      await world.core.staff.setStaff(owner.username, true, by);
      return { userId: null, accountId: owner.id };
    },
    "staff.revoked": async () => {
      const by = { userId: null, origin: { ...origin, requestId: request } };
      await world.core.staff.setStaff(owner.username, false, by);
      return { userId: null, accountId: owner.id };
    },
    "role.granted": async () => {
      await call(owner.api, "addModerator", onSomeone());
      return { userId: owner.id, ...onRoom(), role: "moderator" };
    },
    // By a ban, which takes the role along.
    "role.revoked": async () => {
      await call(owner.api, "addModerator", onSomeone());
      await call(owner.api, "banUser", onSomeone());
      await owner.api.ok("unbanUser", onSomeone());
      return { userId: owner.id, ...onRoom(), role: "moderator" };
    },
    "staff.acted": async () => {
      const staff = await people.account();
      await givenStaffMember(world.core, staff);
      const { params } = onSomeone();
      await call(staff.api, "timeoutUser", { params, body: { duration_seconds: 60 } });
      const ids = `stream_id=${params.stream_id} user_id=${params.user_id}`;
      return { userId: staff.id, operation: "timeoutUser", ids };
    },
    "moderation.acted": async () => {
      const staff = await people.account();
      await givenStaffMember(world.core, staff);
      await call(staff.api, "timeoutUser", { ...onSomeone(), body: { duration_seconds: 60 } });
      return { userId: staff.id, ...onRoom(), action: "timeout", standing: "staff" };
    },
    "emote.added": async () => {
      const { staff, emoteId } = await globalEmote();
      return { userId: staff.id, emoteId };
    },
    "emote.removed": async () => {
      const { staff, emoteId } = await globalEmote();
      await call(staff.api, "deleteGlobalEmote", { params: { emote_id: emoteId } });
      return { userId: staff.id, emoteId };
    },
    "badge.added": async () => {
      const { staff, badgeId } = await globalBadge();
      return { userId: staff.id, badgeId };
    },
    "badge.removed": async () => {
      const { staff, badgeId } = await globalBadge();
      await call(staff.api, "deleteGlobalBadge", { params: { badge_id: badgeId } });
      return { userId: staff.id, badgeId };
    },
    "badge.granted": async () => {
      const { staff, badgeId } = await globalBadge();
      await call(staff.api, "grantGlobalBadge", { params: { badge_id: badgeId, user_id: someone.id } });
      return { userId: staff.id, badgeId, accountId: someone.id };
    },
    "badge.revoked": async () => {
      const { staff, badgeId } = await globalBadge();
      const params = { badge_id: badgeId, user_id: someone.id };
      await staff.api.ok("grantGlobalBadge", { params });
      await call(staff.api, "revokeGlobalBadge", { params });
      return { userId: staff.id, badgeId, accountId: someone.id };
    },
    "stream_key.rotated": async () => {
      people.secret("stream key", bodyOf(await call(owner.api, "rotateStreamKey")).stream_key);
      return { userId: owner.id, streamId: owner.streamId };
    },
    "system_key.refused": async () => {
      await hook({ "x-system-key": people.secret("wrong system key", randomBytes(12).toString("hex")) });
      return { userId: null, operation: "ingestPublish" };
    },
    "hook.refused": async () => {
      await hook({ "x-system-key": people.secret("system key", world.ingestKey) });
      return { userId: null, operation: "ingestPublish", reason: "stream_key_refused" };
    },
  };

  for (const event of Object.keys(happen) as (keyof typeof happen)[]) {
    it(`has a line for ${event}, with what is documented and no more`, async () => {
      request = `spec-${randomBytes(8).toString("hex")}`;

      const fields = await happen[event]();

      const lines = world.audited.filter((line) => line.event === event && line.requestId === request);
      expect(lines).length(1);
      expect(lines[0]).include({ audit: true, level: "info", ...fields });
      expect(String(lines[0]?.address)).match(/^(127\.0\.0\.1|203\.0\.113\.7)$/);
      expect(Object.keys(lines[0] ?? {}).sort()).deep.equal([...ALWAYS, ...AUDIT_EVENTS[event]].sort());
    });
  }

  it("names the socket by which a message was deleted", async () => {
    const author = await people.account();
    const at = { stream_id: owner.streamId };
    const { uuid } = await author.api.ok("sendChatMessage", { params: at, body: { content: "hello" } });
    const ticket = people.secret("ticket", (await owner.api.ok("createWsTicket")).ticket);
    const socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${ticket}`);
    const { connection_id: requestId } = Object((await socket.next("hello")).data);

    await socket.command("chat.delete", { channel: `chat:${owner.streamId}`, uuid });

    const lines = world.audited.filter((line) => line.requestId === requestId);
    socket.terminate();
    expect(lines).length(1);
    expect(lines[0]).include({
      event: "moderation.acted",
      userId: owner.id,
      accountId: author.id,
      action: "delete_message",
      standing: "owner",
      address: "127.0.0.1",
    });
  });

  it("says by whom each session of a banned account was ended", async () => {
    const { id: accountId, sessionId } = await people.account();

    await world.core.accountBans.ban(accountId, { userId: owner.id, origin });

    const ended = world.audited.filter((line) => line.sessionId === sessionId);
    expect(ended).length(1);
    expect(ended[0]).include({
      event: "session.ended",
      userId: owner.id,
      accountId,
      reason: "account_banned",
    });
  });

  it("holds neither a secret nor what was typed nor an address of e-mail", () => {
    const whole = JSON.stringify(world.audited);
    expect(people.secrets.size).above(60);
    const leaked = [...people.secrets].filter(([, value]) => whole.includes(value)).map(([name]) => name);
    expect(leaked).deep.equal([]);
    expect(whole).not.match(/@example|\[secret\]/);
  });

  it("is documented: every event, with its fields", () => {
    const page = readFileSync(new URL("../../docs/audit-log.md", import.meta.url), "utf8");
    const rows = [...page.matchAll(/^\| `([a-z_.]+)` \| .+ \| (.*)\|$/gm)].map(
      ([, name = "", fields = ""]) => [name, [...fields.matchAll(/`(\w+)`/g)].map(([, field]) => field)],
    );

    expect(Object.fromEntries(rows)).deep.equal(AUDIT_EVENTS);
  });

  it("documents every reason for which sessions and API tokens end", () => {
    const page = readFileSync(new URL("../../docs/audit-log.md", import.meta.url), "utf8");
    const rowOf = (event: string) => page.split("\n").find((line) => line.startsWith(`| \`${event}\` |`));
    const missing = (event: string, reasons: readonly string[]) =>
      reasons.filter((reason) => !rowOf(event)?.includes(`\`${reason}\``));

    // A log-out has an event of its own. Sessions that end by it, or for the other two, end only tokens that they made.
    const ofSessions = ENDING_REASONS.filter((reason) => reason !== "log_out");
    const ofTokens = ofSessions.filter((reason) => reason !== "too_many" && reason !== "reused");
    expect(missing("session.ended", ofSessions)).deep.equal([]);
    expect(missing("api_token.ended", [...ofTokens, "staff"])).deep.equal([]);
  });
});

describe("The audit log of refused machines", () => {
  let world: World;
  before(async () => {
    // One request of an address in a minute, six of a machine.
    world = await openWorld({ rateLimitFactor: 0.001, trustedProxies: ["127.0.0.0/8"] });
  });
  after(() => world.close());

  it("ends where a limit does: strangers without the key, and machines with it, fill it with nothing", async () => {
    const net = `2001:db8:${randomInt(0x10000).toString(16)}`;
    const hook = async (key: string, from: string) =>
      (
        await world.api.call("ingestPublish", {
          headers: { "x-system-key": key, "x-forwarded-for": from },
          body: { name: "no such key" },
        })
      ).code;
    const codes: (string | null)[] = [];
    for (let n = 0; n < 4; n++) codes.push(await hook("a guess", `${net}:1::1`));
    for (let n = 0; n < 8; n++) codes.push(await hook(world.ingestKey, `${net}:2::1`));

    const lines = world.audited.filter(({ operation }) => operation === "ingestPublish");
    const noted = lines.map(({ event, reason }) => reason ?? event);
    const refused = (code: string, times: number) => Array<string>(times).fill(code);
    expect(codes).deep.equal([
      ...["system_key_required", ...refused("rate_limited", 3)],
      ...[...refused("unsupported_media_type", 6), ...refused("rate_limited", 2)],
    ]);
    expect(noted).deep.equal(["system_key.refused", ...refused("unsupported_media_type", 6)]);
  });
});
