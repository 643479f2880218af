import { expect } from "chai";
import type { Accounts } from "../../../actors/accounts/accounts.ts";
import { VERIFIED_MS } from "../../../actors/accounts/tokens/verified-sessions.ts";
import { defaultLimits } from "../../../realtime/gateway/socket/limits.ts";
import { apiTokensCollection } from "../../../store/mongo/accounts/api-tokens.ts";
import { sessionsCollection } from "../../../store/mongo/accounts/sessions.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";
import { type Opened, openAccounts, origin, outcome } from "./open-accounts.ts";

const HALF_A_SECOND_ON_A_FULL_MACHINE_MS = 2_000;

describe("credentials that the database doesn't have, as after it was restored", () => {
  let opened: Opened;
  /** The stores of `other`, whose commands are counted. */
  let counted: Stores;
  let other: Accounts;
  beforeEach(async () => {
    opened = await openAccounts();
    counted = await openStores(opened.stores.mongo.db.databaseName, { monitorCommands: true });
    other = opened.another({ mongo: counted.mongo });
    await other.start();
  });
  afterEach(async () => {
    await other.stop();
    await counted.close();
    await opened.close();
  });

  const sessions = () => sessionsCollection.in(opened.stores.mongo.db);
  const users = () => usersCollection.in(opened.stores.mongo.db);
  const answerTo = (token: string, options?: { withoutDatabase: boolean }) =>
    outcome(other.tokens.authenticate(token, "bearer", options));

  it("refuses an access token whose session is unknown, also for chat", async () => {
    const { accessToken, sessionId } = await opened.account();
    await sessions().deleteOne({ _id: sessionId });

    expect(await answerTo(accessToken)).equal("invalid_token");
    expect(await answerTo(accessToken, { withoutDatabase: true })).equal("invalid_token");
  });

  it("refuses an access token whose account is unknown", async () => {
    const { accessToken, user } = await opened.account();
    await users().deleteOne({ _id: user._id });

    expect(await answerTo(accessToken)).equal("invalid_token");
  });

  it("refuses a personal API token that is unknown", async () => {
    const { caller } = await opened.account();
    const { doc, token } = await opened.accounts.apiTokens.create({ name: "bot" }, caller, origin);
    expect(await answerTo(token)).equal("accepted");
    await apiTokensCollection.in(opened.stores.mongo.db).deleteOne({ _id: doc._id });

    opened.clock.move(VERIFIED_MS);

    expect(await answerTo(token)).equal("invalid_token");
  });

  it("opens no socket by a ticket of a session that is unknown", async () => {
    const { caller } = await opened.account();
    const { ticket } = await opened.accounts.tokens.issueTicket(caller);
    await sessions().deleteOne({ _id: caller.sessionId });

    expect(await other.tokens.holderOfTicket(ticket)).equal(null);
  });

  it("finds the unknown ones among the sessions of open sockets", async () => {
    const [known, unknown] = [await opened.account(), await opened.account()];
    await sessions().deleteOne({ _id: unknown.sessionId });

    const refused = await other.tokens.refusedOf([known.caller, unknown.caller], 0);

    expect(refused).deep.equal([unknown.caller]);
  });

  it("reads sessions of open sockets that have to be verified before their next check", async () => {
    const { sessionCheckMs } = defaultLimits;
    const { caller } = await opened.account();
    expect(await other.tokens.refusedOf([caller], sessionCheckMs)).deep.equal([]);
    await sessions().deleteOne({ _id: caller.sessionId });

    // The clock runs on as well.
    opened.clock.move(VERIFIED_MS - sessionCheckMs - 10_000);
    expect(await other.tokens.refusedOf([caller], sessionCheckMs)).deep.equal([]);
    opened.clock.move(10_000);
    expect(await other.tokens.refusedOf([caller], sessionCheckMs)).deep.equal([caller]);
  });

  it("refuses a session that it verified once the minute is over", async () => {
    const { accessToken, sessionId } = await opened.account();
    expect(await answerTo(accessToken)).equal("accepted");
    await sessions().deleteOne({ _id: sessionId });
    expect(await answerTo(accessToken)).equal("accepted");

    opened.clock.move(VERIFIED_MS);

    expect(await answerTo(accessToken)).equal("invalid_token");
  });

  it("reads a session once a minute, however many requests it sends", async () => {
    const { accessToken, sessionId } = await opened.account();
    let reads = 0;
    counted.mongo.client.on("commandStarted", ({ command }) => {
      if (JSON.stringify(command.pipeline ?? command.filter ?? null).includes(sessionId)) reads++;
    });

    await answerTo(accessToken);
    for (let round = 0; round < 10; round++)
      await Promise.all(Array.from({ length: 100 }, () => answerTo(accessToken)));
    expect(reads).equal(1);

    opened.clock.move(VERIFIED_MS);
    await answerTo(accessToken);
    expect(reads).equal(2);
  });

  it("waits no longer than half a second for a MongoDB that hangs where it isn't needed", async () => {
    const { accessToken, caller } = await opened.account();
    const { ticket } = await opened.accounts.tokens.issueTicket(caller);
    const { proxy, through, alone } = await behindProxy();
    try {
      await alone.start();
      proxy.hold();
      const startedAt = performance.now();

      const [asked, holder] = await Promise.all([
        outcome(alone.tokens.authenticate(accessToken, "bearer", { withoutDatabase: true })),
        alone.tokens.holderOfTicket(ticket),
      ]);

      expect(performance.now() - startedAt).below(HALF_A_SECOND_ON_A_FULL_MACHINE_MS);
      expect(asked).equal("accepted");
      expect(holder).include({ sessionId: caller.sessionId });
    } finally {
      proxy.release();
      await alone.stop();
      await through.close();
      await proxy.close();
    }
  });

  /** A worker that reaches MongoDB through a proxy. */
  async function behindProxy() {
    const url = new URL(process.env.MONGODB_URL ?? "");
    const proxy = await openTcpProxy(Number(url.port));
    url.host = `127.0.0.1:${proxy.port}`;
    // Otherwise the driver goes by the address that the replica set names, past the proxy.
    url.searchParams.delete("replicaSet");
    url.searchParams.set("directConnection", "true");
    const { databaseName } = opened.stores.mongo.db;
    const through = await openStores(databaseName, { mongodbUrl: String(url) });
    return { proxy, through, alone: opened.another({ mongo: through.mongo }) };
  }

  it("ends a session whose refresh token is newer than the database, and reports no theft", async () => {
    const { refreshToken, sessionId } = await opened.account();
    const backup = await sessions().findOne({ _id: sessionId });
    if (!backup) throw new Error("no session");
    const { refreshToken: newer } = await opened.accounts.sessions.refresh(refreshToken, origin);
    await sessions().replaceOne({ _id: sessionId }, backup);

    expect(await outcome(opened.accounts.sessions.refresh(newer, origin))).equal("invalid_token");

    const lines = opened.audited.filter((line) => line.sessionId === sessionId);
    expect(lines.map(({ event, reason }) => [event, reason])).deep.include([
      "session.ended",
      "database_restored",
    ]);
    expect(lines.map(({ event }) => event)).not.include("refresh_token.reused");
    expect(await outcome(opened.accounts.sessions.refresh(refreshToken, origin))).equal("invalid_token");
  });
});
