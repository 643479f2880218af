// @waits: for polls of what has ended.
import { expect } from "chai";
import type { Accounts } from "../../../actors/accounts/accounts.ts";
import type { Revoked } from "../../../actors/accounts/tokens/revocations.ts";
import { OPERATOR } from "../../../base/audit.ts";
import { newId } from "../../../base/ids.ts";
import { endSession } from "../../../realtime/rooms/scripts/end-session.ts";
import type { SessionDoc } from "../../../store/mongo/accounts/sessions.ts";
import { eventually } from "../../support/eventually.ts";
import { openStores } from "../../support/stores.ts";
import { signedIn } from "../../support/two-factor.ts";
import { type Opened, openAccounts, origin, outcome, PASSWORD } from "./open-accounts.ts";

describe("ending sessions", () => {
  let opened: Opened;
  let other: Accounts;
  beforeEach(async () => {
    opened = await openAccounts();
    other = opened.another();
    await other.start();
  });
  afterEach(async () => {
    await other.stop();
    await opened.close();
  });

  const again = async (login: string) =>
    signedIn(await opened.accounts.signIn.login({ login, password: PASSWORD, knownDevice: null }, origin));
  const refusedBy = (accounts: Accounts, token: string, code: string) => () => {
    return outcome(accounts.tokens.authenticate(token, "bearer")).then((found) => found === code);
  };

  it("is known to another process within a second", async function () {
    // Which a busy machine may need for one of the polls.
    this.retries(2);
    const { accessToken, caller } = await opened.account();
    const revoked: Revoked[] = [];
    other.tokens.onRevoked((one) => revoked.push(one));
    expect(await outcome(other.tokens.authenticate(accessToken, "bearer"))).equal("accepted");

    await opened.accounts.sessions.logout(caller, origin);

    expect(await outcome(opened.accounts.tokens.authenticate(accessToken, "bearer"))).equal("invalid_token");
    await eventually(refusedBy(other, accessToken, "invalid_token"), { withinMs: 1_000 });
    const { userId, sessionId } = caller;
    expect(revoked).deep.equal([{ userId, sessionId, reason: "ended" }]);
    expect(other.tokens.isRevoked(sessionId)).equal(true);
    expect(opened.announced).deep.equal([{ userId, sessionId, reason: "ended" }]);
  });

  it("is known to a process that starts afterwards, and to one that hasn't begun to follow", async () => {
    const { accessToken, caller } = await opened.account();
    await opened.accounts.sessions.logout(caller, origin);
    const late = opened.another();
    expect(await outcome(late.tokens.authenticate(accessToken, "bearer"))).equal("invalid_token");

    await late.start();

    expect(late.tokens.isRevoked(caller.sessionId)).equal(true);
    await late.stop();
  });

  it("asks the database while endings aren't followed", async () => {
    const { accessToken, caller } = await opened.account();
    await other.stop();
    const stopped = opened.another();
    expect(await outcome(stopped.tokens.authenticate(accessToken, "bearer"))).equal("accepted");

    await opened.accounts.sessions.logout(caller, origin);

    expect(await outcome(stopped.tokens.authenticate(accessToken, "bearer"))).equal("invalid_token");
  });

  it("takes every other session of the user and leaves the one that asks", async () => {
    const first = await opened.account();
    const second = await again(first.username);
    const third = await again(first.username);
    const stranger = await opened.account();

    await opened.accounts.sessions.endOthers(first.caller, origin);

    for (const { accessToken } of [second, third]) {
      await eventually(refusedBy(other, accessToken, "invalid_token"));
    }
    for (const { accessToken } of [first, stranger]) {
      expect(await outcome(other.tokens.authenticate(accessToken, "bearer"))).equal("accepted");
    }
    expect((await opened.accounts.sessions.list(first.user._id)).map(({ _id }) => _id)).deep.equal([
      first.sessionId,
    ]);
  });

  it("is for the owner alone, and once", async () => {
    const owner = await opened.account();
    const stranger = await opened.account();
    const end = (caller: typeof owner.caller, sessionId: string) =>
      outcome(opened.accounts.sessions.end(caller, sessionId, origin));

    expect(await end(stranger.caller, owner.sessionId)).equal("not_found");
    expect(await end(owner.caller, newId())).equal("not_found");
    expect(await outcome(opened.accounts.tokens.authenticate(owner.accessToken, "bearer"))).equal("accepted");

    expect(await end(owner.caller, owner.sessionId)).equal("accepted");
    expect(await end(owner.caller, owner.sessionId)).equal("not_found");
  });

  it("by a ban takes all sessions everywhere, says why, and leaves none that was being opened", async () => {
    const { username, user, accessToken } = await opened.account();
    const opening = Promise.all(
      Array.from({ length: 5 }, () =>
        again(username).then(
          (signIn) => signIn.refreshToken,
          () => null,
        ),
      ),
    );

    await opened.accounts.accountBans.ban(user._id, OPERATOR);
    const refreshTokens = await opening;
    await opened.accounts.accountBans.endBanned(user._id, OPERATOR);

    for (const token of refreshTokens) {
      if (token)
        expect(await outcome(opened.accounts.sessions.refresh(token, origin))).equal("account_banned");
    }
    await eventually(refusedBy(other, accessToken, "account_banned"));
    expect(opened.announced).deep.include({ userId: user._id, sessionId: null, reason: "banned" });
  });

  it("is followed through more endings at one instant than one reading holds", async () => {
    const now = new Date();
    const ended: SessionDoc[] = Array.from({ length: 2_500 }, () => ({
      _id: newId(),
      userId: newId(),
      generation: 1,
      tokenHash: newId(),
      rotatedAt: now,
      userAgent: null,
      ip: "203.0.113.7",
      createdAt: now,
      lastSeenAt: now,
      expiresAt: new Date(Date.now() + 60_000),
      endedAt: new Date(now.getTime() + Math.floor(Math.random() * 5)),
      endReason: "ended",
    }));
    await opened.stores.mongo.db.collection<SessionDoc>("sessions").insertMany(ended);

    await eventually(() => ended.every(({ _id }) => other.tokens.isRevoked(_id)));
  });

  it("is known by its mark in Redis to what goes on without the database, when that can't be followed", async () => {
    const { accessToken, caller } = await opened.account();
    const { ticket } = await opened.accounts.tokens.issueTicket(caller);
    const { mongo, close } = await openStores(opened.stores.mongo.db.databaseName);
    const alone = opened.another({ mongo });
    await alone.start();
    await alone.stop();
    await close();
    const asks = (withoutDatabase: boolean) =>
      outcome(alone.tokens.authenticate(accessToken, "bearer", { withoutDatabase }));
    // Fresh for a second after the last poll.
    await eventually(async () => expect(await asks(false)).not.equal("accepted"));
    expect(await asks(true)).equal("accepted");
    expect(await alone.tokens.holderOfTicket(ticket)).include({ sessionId: caller.sessionId });

    await endSession(opened.stores.redis, caller.sessionId);

    expect(await asks(true)).equal("invalid_token");
    expect(await alone.tokens.holderOfTicket(ticket)).equal(null);
  });

  it("once marked opens nothing and gives no ticket, though the last poll was a moment ago", async () => {
    const { caller } = await opened.account();
    const { ticket } = await opened.accounts.tokens.issueTicket(caller);
    // No poll brings it: the database hangs from now on, so to say.
    await endSession(opened.stores.redis, caller.sessionId);

    expect(await other.tokens.holderOfTicket(ticket), "memory is fresh").include({
      sessionId: caller.sessionId,
    });
    expect(await other.tokens.redeemTicket(ticket)).equal(null);
    expect(await outcome(other.tokens.issueTicket(caller))).equal("invalid_token");
  });

  it("is read from the database for tickets when the node of its mark is away", async () => {
    const { caller } = await opened.account();
    const active = await opened.accounts.tokens.issueTicket(caller);
    const withoutMarks = opened.stores.redis.duplicate();
    await withoutMarks.connect();
    withoutMarks.zscore = () => Promise.reject(new Error("CLUSTERDOWN Hash slot not served"));
    const alone = opened.another({ redis: withoutMarks });
    try {
      expect(await alone.tokens.redeemTicket(active.ticket)).include({ sessionId: caller.sessionId });
      const late = await alone.tokens.issueTicket(caller);
      await opened.accounts.sessions.logout(caller, origin);
      expect(await alone.tokens.redeemTicket(late.ticket)).equal(null);
      expect(await outcome(alone.tokens.issueTicket(caller))).equal("invalid_token");
    } finally {
      withoutMarks.disconnect();
    }
  });

  it("is known as soon as another worker publishes it, with its reason, and handed over once", async () => {
    const { accessToken, caller } = await opened.account();
    const { userId, sessionId } = caller;
    const revoked: Revoked[] = [];
    other.tokens.onRevoked((one) => revoked.push(one));

    other.tokens.noteRevoked({ userId, sessionId, reason: "banned" });
    other.tokens.noteRevoked({ userId, sessionId, reason: "banned" });

    expect(other.tokens.isRevoked(sessionId)).equal(true);
    expect(await outcome(other.tokens.authenticate(accessToken, "bearer"))).equal("account_banned");
    expect(revoked).deep.equal([{ userId, sessionId, reason: "banned" }]);
  });
});
