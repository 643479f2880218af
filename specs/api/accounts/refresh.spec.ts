import { expect } from "chai";
import { createRefreshTokens } from "../../../actors/accounts/tokens/refresh-tokens.ts";
import { OPERATOR } from "../../../base/audit.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { signedIn } from "../../support/two-factor.ts";
import { MASTER_KEY, type Opened, openAccounts, origin, outcome } from "./open-accounts.ts";

describe("refreshing a session", () => {
  let opened: Opened;
  before(async () => {
    opened = await openAccounts();
  });
  after(() => opened.close());

  const refresh = (token: string) => opened.accounts.sessions.refresh(token, origin);

  it("gives new tokens of the same session at every use", async () => {
    const first = await opened.account();

    const second = await refresh(first.refreshToken);
    const third = await refresh(second.refreshToken);

    expect(new Set([first.refreshToken, second.refreshToken, third.refreshToken]).size).equal(3);
    expect([second.deviceId, third.deviceId]).deep.equal([first.deviceId, first.deviceId]);
    expect((await opened.accounts.tokens.authenticate(third.accessToken, "bearer")).userId).equal(
      first.user._id,
    );
  });

  it("answers 200 calls at once with one token by one successor", async () => {
    const { refreshToken } = await opened.account();

    const answers = await Promise.all(Array.from({ length: 200 }, () => refresh(refreshToken)));

    const successors = new Set(answers.map((answer) => answer.refreshToken));
    expect(successors.size).equal(1);
    expect(await outcome(refresh([...successors][0] ?? ""))).equal("accepted");
  });

  it("answers the same successor again for 30 s to a client that lost the answer", async () => {
    const { refreshToken } = await opened.account();
    const lost = await refresh(refreshToken);
    opened.clock.move(29_000);

    const again = await refresh(refreshToken);

    expect(again.refreshToken).equal(lost.refreshToken);
    expect(await outcome(refresh(again.refreshToken))).equal("accepted");
  });

  it("ends the session when the one before comes after the grace", async () => {
    const { refreshToken, accessToken } = await opened.account();
    const { refreshToken: successor } = await refresh(refreshToken);
    opened.clock.move(31_000);

    expect(await outcome(refresh(refreshToken))).equal("invalid_token");

    expect(await outcome(refresh(successor))).equal("invalid_token");
    expect(await outcome(opened.accounts.tokens.authenticate(accessToken, "bearer"))).equal("invalid_token");
  });

  it("ends the session when a token two generations old comes, also within the grace", async () => {
    const first = await opened.account();
    const second = await refresh(first.refreshToken);
    const third = await refresh(second.refreshToken);

    expect(await outcome(refresh(first.refreshToken))).equal("invalid_token");

    expect(await outcome(refresh(third.refreshToken))).equal("invalid_token");
    const { sessionId } = first;
    expect(opened.announced).deep.include({ userId: first.user._id, sessionId, reason: "ended" });
  });

  it("leaves other sessions of the user alone when one is ended by reuse", async () => {
    const first = await opened.account();
    const other = signedIn(
      await opened.accounts.signIn.login(
        { login: first.username, password: "correct horse battery", knownDevice: null },
        origin,
      ),
    );
    const second = await refresh(first.refreshToken);
    await refresh(second.refreshToken);

    await outcome(refresh(first.refreshToken));

    expect(await outcome(refresh(other.refreshToken))).equal("accepted");
  });

  it("keeps a session for 30 days without use, and for 90 days at most", async () => {
    const idle = await opened.account();
    let used = await refresh((await opened.account()).refreshToken);
    opened.clock.move(29 * DAY_MS);
    used = await refresh(used.refreshToken);
    opened.clock.move(2 * DAY_MS);

    expect(await outcome(refresh(idle.refreshToken))).equal("invalid_token");

    for (const days of [27, 27]) {
      opened.clock.move(days * DAY_MS);
      used = await refresh(used.refreshToken);
    }
    expect(used.refreshExpiresIn).below(5.1 * DAY_MS);
    opened.clock.move(6 * DAY_MS);
    expect(await outcome(refresh(used.refreshToken))).equal("invalid_token");
  });

  it("refuses tokens that it never gave out, and no session ends by them", async () => {
    const { refreshToken, sessionId } = await opened.account();
    const forger = createRefreshTokens("another master key");
    const last = refreshToken.at(-1) === "A" ? "B" : "A";
    const forged = [
      "",
      "lc_rt_",
      "lc_rt_AAAA",
      "x".repeat(512),
      forger.make(sessionId, 1),
      forger.make(sessionId, 2),
      createRefreshTokens(MASTER_KEY).make(newId(), 1),
      refreshToken.slice(0, -1),
      `${refreshToken}A`,
      `${refreshToken} `,
      `${refreshToken}=`,
      refreshToken.slice(0, -1) + last,
      refreshToken.toLowerCase(),
      refreshToken.replace("lc_rt_", "lc_pat_"),
    ];

    for (const token of forged) {
      expect(await outcome(refresh(token)), token).equal("invalid_token");
    }
    expect(await outcome(refresh(refreshToken))).equal("accepted");
  });

  it("refuses after logging out", async () => {
    const { refreshToken, caller } = await opened.account();

    await opened.accounts.sessions.logout(caller, origin);

    expect(await outcome(refresh(refreshToken))).equal("invalid_token");
  });

  it("refuses a banned user's token", async () => {
    const { refreshToken, user } = await opened.account();

    await opened.accounts.accountBans.ban(user._id, OPERATOR);

    expect(await outcome(refresh(refreshToken))).equal("account_banned");
  });
});
