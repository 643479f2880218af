import { expect } from "chai";
import type { Redis } from "ioredis";
import type { Accounts } from "../../../actors/accounts/accounts.ts";
import { connectRedis } from "../../../store/redis/connect.ts";
import { signedIn } from "../../support/two-factor.ts";
import { type Opened, openAccounts, origin, outcome, PASSWORD } from "./open-accounts.ts";

describe("accounts while Redis is unavailable", () => {
  let opened: Opened;
  let redis: Redis;
  let alone: Accounts;
  before(async () => {
    opened = await openAccounts();
    // Nothing listens there.
    redis = connectRedis({ url: "redis://127.0.0.1:1", deadlineMs: 200, onError: () => undefined });
    await outcome(redis.connect());
    alone = opened.another({ redis });
    await alone.start();
  });
  after(async () => {
    await alone.stop();
    redis.disconnect();
    await opened.close();
  });

  const login = (name: string, password: string) =>
    alone.signIn.login({ login: name, password, knownDevice: null }, origin);

  it("still signs in, refreshes, authenticates and logs out", async () => {
    const { username } = await opened.account();

    const signIn = signedIn(await login(username, PASSWORD));
    const { accessToken } = await alone.sessions.refresh(signIn.refreshToken, origin);
    const caller = await alone.tokens.authenticate(accessToken, "bearer");
    await alone.sessions.logout(caller, origin);

    expect(await outcome(alone.tokens.authenticate(accessToken, "bearer"))).equal("invalid_token");
  });

  it("lets fewer guesses pass than with Redis, not more", async () => {
    const { username } = await opened.account();
    const codes: string[] = [];
    for (let i = 0; i < 4; i++) codes.push(await outcome(login(username, "not the password")));

    expect(codes).deep.equal(["invalid_credentials", "invalid_credentials", "rate_limited", "rate_limited"]);
  });

  it("refuses tickets at once with unavailable", async () => {
    const { caller } = await opened.account();
    const startedAt = performance.now();

    expect(await outcome(alone.tokens.issueTicket(caller))).equal("unavailable");
    expect(await outcome(alone.tokens.redeemTicket("anything"))).equal("unavailable");

    expect(performance.now() - startedAt).below(250);
  });
});
