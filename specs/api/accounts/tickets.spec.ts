import { expect } from "chai";
import { hashToken } from "../../../actors/accounts/tokens/refresh-tokens.ts";
import { newId } from "../../../base/ids.ts";
import { shows } from "../../../contract/coverage/shows.ts";
import type { Grant } from "../../../contract/scopes.ts";
import { keys } from "../../../store/redis/keys.ts";
import { type Opened, openAccounts, origin } from "./open-accounts.ts";

describe("socket tickets", () => {
  let opened: Opened;
  before(async () => {
    opened = await openAccounts();
  });
  after(() => opened.close());

  const redeem = (ticket: string) => opened.accounts.tokens.redeemTicket(ticket);

  it("say who requested them and how that request was authenticated", async () => {
    const { caller, username } = await opened.account();
    const { ticket, expiresInSeconds } = await opened.accounts.tokens.issueTicket(caller);
    const cookieTicket = await opened.accounts.tokens.issueTicket({ ...caller, via: "cookie" });

    const { userId, sessionId } = caller;
    expect(expiresInSeconds).equal(30);
    expect(await redeem(ticket)).deep.equal({ userId, username, sessionId, viaCookie: false, grant: null });
    expect((await redeem(cookieTicket.ticket))?.viaCookie).equal(true);
  });

  it("open one socket, however many processes redeem them at once", async () => {
    const { caller } = await opened.account();
    const other = opened.another();
    await other.start();
    for (let round = 0; round < 20; round++) {
      const { ticket } = await opened.accounts.tokens.issueTicket(caller);

      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => (i % 2 ? redeem(ticket) : other.tokens.redeemTicket(ticket))),
      );

      expect(answers.filter((answer) => answer !== null)).length(1);
    }
    shows("auth.ticket.once");
    shows("auth.ticket.atomic");
    await other.stop();
  });

  it("end after 30 s", async () => {
    const { caller } = await opened.account();
    const { ticket } = await opened.accounts.tokens.issueTicket(caller);
    opened.clock.move(31_000);

    expect(await redeem(ticket)).equal(null);
    shows("auth.ticket.lifetime");
  });

  it("end with their session", async () => {
    const { caller } = await opened.account();
    const { ticket } = await opened.accounts.tokens.issueTicket(caller);
    await opened.accounts.sessions.logout(caller, origin);

    expect(await redeem(ticket)).equal(null);
  });

  it("are refused when they were never given out", async () => {
    for (const ticket of ["", "x", "A".repeat(43), "*", "a\r\nGET b"]) {
      expect(await redeem(ticket)).equal(null);
    }
  });

  it("carry the kind of their token, also without one from a worker of the release before", async () => {
    const { caller } = await opened.account();
    const token = { scopes: ["chat:send" as const], expiresAt: null };
    const streamId = newId();
    const grants: Grant[] = [
      { kind: "personal", ...token },
      { kind: "embed", ...token, streamId },
    ];
    for (const grant of grants) {
      const { ticket } = await opened.accounts.tokens.issueTicket({ ...caller, grant });
      const key = keys.ticket(hashToken(ticket));
      const held: unknown[] = JSON.parse((await opened.stores.redis.get(key)) ?? "");
      const older = JSON.stringify(held.with(-1, [token.scopes, null, grant.streamId ?? null]));

      expect((await redeem(ticket))?.grant).deep.equal(grant);
      await opened.stores.redis.set(key, older, "EX", 30);
      expect((await redeem(ticket))?.grant).deep.equal(grant);
    }
  });

  it("are kept by their hash alone", async () => {
    const { caller } = await opened.account();
    const { ticket } = await opened.accounts.tokens.issueTicket(caller);

    const stored = await opened.stores.redis.keys("lc:ticket:*");

    expect(stored.join()).not.include(ticket);
    expect(await redeem(ticket)).not.equal(null);
  });
});
