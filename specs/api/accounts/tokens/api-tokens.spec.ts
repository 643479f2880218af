// @waits: for what processes write every few seconds.
import { expect } from "chai";
import type { Accounts } from "../../../../actors/accounts/accounts.ts";
import { OPERATOR } from "../../../../base/audit.ts";
import { newId } from "../../../../base/ids.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import { apiTokensCollection } from "../../../../store/mongo/accounts/api-tokens.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { mailsCollection } from "../../../../store/mongo/notifications/mails.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Opened, openAccounts, origin, outcome } from "../open-accounts.ts";

describe("personal API tokens, in several processes", function () {
  this.timeout(60_000);
  let opened: Opened;
  let other: Accounts;
  before(async () => {
    opened = await openAccounts();
    other = opened.another();
    await other.start();
  });
  after(async () => {
    await other.stop();
    await opened.close();
  });

  const stored = () => apiTokensCollection.in(opened.stores.mongo.db);
  const lastUseOf = async (_id: string) => (await stored().findOne({ _id }))?.lastUsedAt?.getTime() ?? null;

  /** Of a new account. */
  async function newToken(input: Parameters<Accounts["apiTokens"]["create"]>[0] = { name: "bot" }) {
    const account = await opened.account();
    const { doc, token } = await opened.accounts.apiTokens.create(input, account.caller, origin);
    return { ...account, doc, token, userId: account.caller.userId };
  }

  it("are kept by their hash alone", async () => {
    const { doc, token } = await newToken();

    const kept = JSON.stringify(await stored().findOne({ _id: doc._id }));

    expect(kept).contain(doc.prefix).and.not.contain(token.slice(doc.prefix.length));
    shows("auth.api_token.shown_once");
  });

  it("speak for their user within their scopes, in every process", async () => {
    const { token, userId, username, doc } = await newToken({ name: "bot", scopes: ["points:read"] });

    for (const accounts of [opened.accounts, other]) {
      for (const via of ["bearer", "api_key"] as const) {
        const grant = { kind: "personal", scopes: ["points:read"], expiresAt: null };
        const caller = { kind: "user", userId, username, sessionId: doc._id, via, grant };
        expect(await accounts.tokens.authenticate(token, via)).deep.equal(caller);
      }
    }
  });

  it("may read and write chat when no scopes are requested", async () => {
    const { doc } = await newToken({ name: "bot", scopes: [] });

    expect(doc.scopes).deep.equal(["chat:read", "chat:send"]);
  });

  it("aren't taken from a cookie, nor an access token as an API key", async () => {
    const { token, accessToken } = await newToken();

    expect(await outcome(opened.accounts.tokens.authenticate(token, "cookie"))).equal("invalid_token");
    expect(await outcome(opened.accounts.tokens.authenticate(accessToken, "api_key"))).equal("invalid_token");
  });

  it("are at most fifty a user, however many are requested at once", async () => {
    for (let round = 0; round < 5; round++) {
      const { userId, caller, doc } = await newToken();
      const create = (accounts: Accounts) =>
        outcome(accounts.apiTokens.create({ name: "bot" }, caller, origin));
      const more = Array.from({ length: 45 }, () => ({ ...doc, _id: newId(), hash: newId() }));
      await stored().insertMany(more);

      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => create(i % 2 ? opened.accounts : other)),
      );

      // Who loses too often to others gives up, which is no acceptance: one by one the rest is made.
      expect(answers.filter((answer) => answer === "accepted").length).at.most(4);
      while ((await create(other)) === "accepted");
      expect(await create(opened.accounts)).equal("limit_reached");
      expect(await stored().countDocuments({ userId })).equal(50);
    }
  });

  it("make place for others when they are deleted or expire", async () => {
    const expiresAt = new Date(opened.clock.now() + 60_000);
    const { userId, caller, doc } = await newToken({ name: "bot", expiresAt });
    const create = () => outcome(other.apiTokens.create({ name: "bot", expiresAt }, caller, origin));
    for (let i = 1; i < 50; i++) await create();
    expect(await create()).equal("limit_reached");

    await opened.accounts.apiTokens.remove(doc._id, userId, origin);
    expect(await create()).equal("accepted");
    opened.clock.move(60_000);

    expect(await outcome(other.apiTokens.create({ name: "bot" }, caller, origin))).equal("accepted");
    expect((await other.apiTokens.page(userId, { skip: 0, limit: 100 })).total).equal(1);
  });

  it("end when they are deleted, in every process within a second", async () => {
    const { token, userId, doc } = await newToken();
    for (const accounts of [opened.accounts, other]) await accounts.tokens.authenticate(token, "bearer");

    await opened.accounts.apiTokens.remove(doc._id, userId, origin);

    expect(await outcome(opened.accounts.tokens.authenticate(token, "bearer"))).equal("invalid_token");
    const isRefused = async () =>
      (await outcome(other.tokens.authenticate(token, "bearer"))) === "invalid_token";
    await eventually(isRefused, { withinMs: 1_000 });
    expect(opened.announced).deep.include({ userId, sessionId: doc._id, reason: "ended" });
    expect(await outcome(opened.accounts.apiTokens.remove(doc._id, userId, origin))).equal("not_found");
  });

  it("end when they expire, also those that are known", async () => {
    const { token } = await newToken({ name: "bot", expiresAt: new Date(opened.clock.now() + 5_000) });
    await opened.accounts.tokens.authenticate(token, "bearer");

    opened.clock.move(5_000);

    expect(await outcome(opened.accounts.tokens.authenticate(token, "bearer"))).equal("invalid_token");
    expect(await outcome(other.tokens.authenticate(token, "bearer"))).equal("invalid_token");
  });

  it("end with a ban of the account, and none is made beside it", async () => {
    for (let round = 0; round < 10; round++) {
      const { token, userId, caller, doc } = await newToken();
      await other.tokens.authenticate(token, "bearer");

      const [made] = await Promise.all([
        other.apiTokens.create({ name: "late" }, caller, origin).catch(() => null),
        opened.accounts.accountBans.ban(userId, OPERATOR),
      ]);

      const isRefused = async () =>
        (await outcome(other.tokens.authenticate(token, "bearer"))) === "account_banned";
      await eventually(isRefused, { withinMs: 1_000 });
      expect(opened.announced).deep.include({ userId, sessionId: doc._id, reason: "banned" });
      expect(await stored().countDocuments({ userId, endedAt: null })).equal(0);
      if (made)
        expect(await outcome(opened.accounts.tokens.authenticate(made.token, "bearer"))).equal(
          "account_banned",
        );
    }
  });

  it("stay ended when the ban is lifted", async () => {
    const { token, userId } = await newToken();
    await opened.accounts.accountBans.ban(userId, OPERATOR);
    await opened.accounts.accountBans.unban(userId, OPERATOR);

    expect(await outcome(opened.another().tokens.authenticate(token, "bearer"))).equal("account_banned");
  });

  it("aren't for staff, and end when their user becomes staff", async () => {
    const { token, caller, username } = await newToken();
    await other.tokens.authenticate(token, "bearer");

    await opened.accounts.staff.setStaff(username, true, OPERATOR);

    const isRefused = async () =>
      (await outcome(other.tokens.authenticate(token, "bearer"))) === "invalid_token";
    await eventually(isRefused, { withinMs: 1_000 });
    expect(await outcome(other.apiTokens.create({ name: "bot" }, caller, origin))).equal("forbidden");
  });

  it("are reported to the owner's address, once that is proven to be theirs", async () => {
    const { caller, userId, doc } = await newToken();
    const users = usersCollection.in(opened.stores.mongo.db);
    await users.updateOne({ _id: userId }, { $set: { emailVerifiedAt: new Date() } });

    const { doc: second } = await other.apiTokens.create({ name: "bot" }, caller, origin);

    const mails = await mailsCollection
      .in(opened.stores.mongo.db)
      .find({ userId, template: "api_token_created" })
      .toArray();
    expect(mails.map(({ _id }) => _id)).deep.equal([`api_token:${second._id}`]);
    expect(doc._id).not.equal(second._id);
  });

  it("are looked up in the database while endings aren't followed", async () => {
    const { token, userId, doc } = await newToken();
    const late = opened.another();
    expect(await outcome(late.tokens.authenticate(token, "bearer"))).equal("accepted");

    await opened.accounts.apiTokens.remove(doc._id, userId, origin);

    expect(await outcome(late.tokens.authenticate(token, "bearer"))).equal("invalid_token");
  });

  it("carry the name that their user has now", async () => {
    const { token, caller } = await newToken();
    await other.tokens.authenticate(token, "bearer");
    const username = `n${caller.userId.slice(-12)}`;

    await opened.accounts.profile.updateMe(caller, { username }, origin);

    await eventually(async () => (await other.tokens.authenticate(token, "bearer")).username === username);
  });

  it("say when they were last used, once a minute whichever processes they come to", async () => {
    const { token, doc } = await newToken();
    const workers = [opened.accounts, other];
    const use = async () => {
      for (const one of [...workers, ...workers]) await one.tokens.authenticate(token, "bearer");
      // What a process writes comes in the order of use, so that all before is written once these are.
      for (const one of workers) {
        const next = await newToken();
        await one.tokens.authenticate(next.token, "bearer");
        await eventually(async () => (await lastUseOf(next.doc._id)) !== null);
      }
    };
    const began = opened.clock.now();
    await use();
    const first = await lastUseOf(doc._id);
    expect(first).within(began, opened.clock.now());

    opened.clock.move(40_000);
    await use();
    expect(await lastUseOf(doc._id)).equal(first);
    opened.clock.move(20_000);
    await use();

    expect(Number(await lastUseOf(doc._id)) - Number(first)).at.least(60_000);
  });
});
