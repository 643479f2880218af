import { expect } from "chai";
import { newLink } from "../../../actors/accounts/tokens/email-links.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { emailTokensCollection } from "../../../store/mongo/accounts/email-tokens.ts";
import type { SessionDoc } from "../../../store/mongo/accounts/sessions.ts";
import { signedIn } from "../../support/two-factor.ts";
import { type Opened, openAccounts, origin, outcome, PASSWORD } from "./open-accounts.ts";

describe("devices that were signed in", () => {
  let opened: Opened;
  // One each: endings have the database's own time, which a moved clock leaves behind.
  beforeEach(async () => {
    opened = await openAccounts();
  });
  afterEach(() => opened.close());

  type Account = Awaited<ReturnType<Opened["account"]>>;

  const login = (name: string, knownDevice: string | null) =>
    opened.accounts.signIn.login({ login: name, password: PASSWORD, knownDevice }, origin);

  /** What the audit log says of a sign-in that presents this device. */
  async function deviceOf({ username, user }: Account, presented: string | null): Promise<unknown> {
    await login(username, presented);
    const lines = opened.audited.filter(
      ({ event, userId }) => event === "sign_in.succeeded" && userId === user._id,
    );
    return lines.at(-1)?.device;
  }

  it("are the hundred last used of an account at most, beside those whose session lasts", async () => {
    const account = await opened.account();
    const sessions = opened.stores.mongo.db.collection<SessionDoc>("sessions");
    const own = await sessions.findOne({ _id: account.sessionId });
    if (!own) throw new Error("there is no session");
    const ended = Array.from({ length: 130 }, (_, i) => {
      const lastSeenAt = new Date(opened.clock.now() - i * 1_000);
      return {
        ...own,
        _id: `ended ${String(i).padStart(3, "0")}`,
        lastSeenAt,
        endedAt: lastSeenAt,
        endReason: "ended" as const,
      };
    });
    await sessions.insertMany(ended);

    await login(account.username, null);

    const kept = await sessions
      .find({ endedAt: { $ne: null } })
      .sort({ _id: 1 })
      .toArray();
    expect(kept.map(({ _id }) => _id)).deep.equal(ended.slice(0, 100).map(({ _id }) => _id));
    expect(await sessions.countDocuments({ endedAt: null })).equal(2);
  });

  it("are kept from the end of their session on, not from when it might have ended", async () => {
    const { caller, sessionId } = await opened.account();

    await opened.accounts.sessions.logout(caller, origin);

    const doc = await opened.stores.mongo.db.collection<SessionDoc>("sessions").findOne({ _id: sessionId });
    expect(doc?.expiresAt.getTime()).equal(doc?.endedAt?.getTime());
  });

  it("are known by the secret, which is stored by its hash alone", async () => {
    const account = await opened.account();
    const { deviceId, sessionId } = account;
    const [id, secret = ""] = deviceId.split(".");
    const other = secret.startsWith("A") ? "B" : "A";

    expect(id).equal(sessionId);
    expect(deviceId.length).most(128);
    expect(await deviceOf(account, deviceId)).equal("known");
    const others = [
      null,
      "",
      sessionId,
      `${sessionId}.`,
      `${sessionId}.${other}${secret.slice(1)}`,
      `${deviceId}A`,
      `${(await opened.account()).sessionId}.${secret}`,
      `${sessionId}.${"A".repeat(43)}`,
    ];
    for (const presented of others)
      expect(await deviceOf(account, presented), String(presented)).equal("new");

    const stored = await opened.stores.mongo.db.collection("sessions").find().toArray();
    expect(JSON.stringify(stored)).not.include(secret);
  });

  it("belong to the account that was signed in on them", async () => {
    const account = await opened.account();
    const stranger = await opened.account();

    expect(await deviceOf(account, stranger.deviceId)).equal("new");
  });

  it("keep what they were given when their session is refreshed, and get something new with the next", async () => {
    const account = await opened.account();

    const refreshed = await opened.accounts.sessions.refresh(account.refreshToken, origin);
    const again = await login(account.username, account.deviceId);

    expect(refreshed.deviceId).equal(account.deviceId);
    expect(again.deviceId).not.equal(account.deviceId);
    for (const presented of [account.deviceId, again.deviceId]) {
      expect(await deviceOf(account, presented)).equal("known");
    }
  });

  it("are remembered for 90 days after a log-out, and after a session that ran out", async () => {
    const [left, idle] = [await opened.account(), await opened.account()];
    await opened.accounts.sessions.logout(left.caller, origin);

    opened.clock.move(89 * DAY_MS);
    expect(await deviceOf(left, left.deviceId)).equal("known");
    opened.clock.move(2 * DAY_MS);
    expect(await deviceOf(left, left.deviceId)).equal("new");
    expect(await deviceOf(idle, idle.deviceId)).equal("known");
    opened.clock.move(28 * DAY_MS);
    expect(await deviceOf(idle, idle.deviceId)).equal("known");
    opened.clock.move(2 * DAY_MS);
    expect(await deviceOf(idle, idle.deviceId)).equal("new");
  });

  it("are forgotten when their owner removes them, and when their refresh token was stolen", async () => {
    const [removed, stolen] = [await opened.account(), await opened.account()];
    await opened.accounts.sessions.end(removed.caller, removed.sessionId, origin);
    const second = await opened.accounts.sessions.refresh(stolen.refreshToken, origin);
    await opened.accounts.sessions.refresh(second.refreshToken, origin);
    expect(await outcome(opened.accounts.sessions.refresh(stolen.refreshToken, origin))).equal(
      "invalid_token",
    );

    for (const account of [removed, stolen]) {
      expect(await deviceOf(account, account.deviceId)).equal("new");
    }
  });

  it("are forgotten by a reset and by a change of the password, also when their session has ended before", async () => {
    const [reset, changed] = [await opened.account(), await opened.account()];
    const kept = signedIn(await login(changed.username, null));
    const caller = await opened.accounts.tokens.authenticate(kept.accessToken, "bearer");
    for (const account of [reset, changed]) {
      await opened.accounts.sessions.logout(account.caller, origin);
      expect(await deviceOf(account, account.deviceId)).equal("known");
    }

    const { token, doc } = newLink(
      "reset",
      { userId: reset.user._id, email: reset.user.email },
      opened.clock.now(),
    );
    await emailTokensCollection.in(opened.stores.mongo.db).insertOne(doc);
    await opened.accounts.recovery.resetPassword(token, PASSWORD, origin);
    await opened.accounts.profile.changePassword(
      caller,
      { current: PASSWORD, next: PASSWORD, endsTokens: false },
      origin,
    );

    for (const account of [reset, changed]) expect(await deviceOf(account, account.deviceId)).equal("new");
    expect(await deviceOf(changed, kept.deviceId)).equal("known");
  });

  it("of older releases have no secret, and get one with the next refresh", async () => {
    const account = await opened.account();
    const sessions = opened.stores.mongo.db.collection<SessionDoc>("sessions");
    await sessions.updateOne({ _id: account.sessionId }, { $unset: { deviceHash: true } });
    expect(await deviceOf(account, account.sessionId)).equal("new");

    const { deviceId } = await opened.accounts.sessions.refresh(account.refreshToken, origin);

    expect(await deviceOf(account, deviceId)).equal("known");
  });
});
