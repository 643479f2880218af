import { expect } from "chai";
import { createAccessTokens } from "../../../actors/accounts/tokens/access-tokens.ts";
import { createKeyRing } from "../../../actors/accounts/tokens/key-ring.ts";
import { createSealing } from "../../../actors/keys/sealing.ts";
import { newId } from "../../../base/ids.ts";
import { type SigningKeyDoc, signingKeysIn } from "../../../store/mongo/accounts/signing-keys.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { MASTER_KEY, type Opened, openAccounts, outcome } from "./open-accounts.ts";

describe("an access token that was found good before", () => {
  let opened: Opened;
  before(async () => {
    opened = await openAccounts();
  });
  after(() => opened.close());

  const used = async (): Promise<string> => {
    const { accessToken } = await opened.account();
    expect(await outcome(opened.accounts.tokens.authenticate(accessToken, "bearer"))).equal("accepted");
    return accessToken;
  };

  it("is refused when its time is over, and counts for no longer than at its first use", async () => {
    const token = await used();
    const other = opened.another();
    await other.start();

    for (const [ms, expected] of [
      [904_000, "accepted"],
      [3_000, "invalid_token"],
    ] as const) {
      opened.clock.move(ms);
      expect(await outcome(opened.accounts.tokens.authenticate(token, "bearer"))).equal(expected);
      expect(await outcome(other.tokens.authenticate(token, "bearer"))).equal(expected);
    }
    await other.stop();
  });

  it("is refused before its time, by a clock that was set back", async () => {
    const token = await used();

    opened.clock.move(-10_000);
    expect(await outcome(opened.accounts.tokens.authenticate(token, "bearer"))).equal("invalid_token");
    opened.clock.move(10_000);
    expect(await outcome(opened.accounts.tokens.authenticate(token, "bearer"))).equal("accepted");
  });

  it("lends nothing to one that differs in a single character", async () => {
    const token = await used();

    for (const place of [3, token.indexOf(".") + 20, token.length - 10]) {
      const altered = `${token.slice(0, place)}${token[place] === "A" ? "B" : "A"}${token.slice(place + 1)}`;
      expect(await outcome(opened.accounts.tokens.authenticate(altered, "bearer")), altered).equal(
        "invalid_token",
      );
    }
  });

  it("is refused when its session has ended", async () => {
    const { accessToken, caller } = await opened.account();
    await opened.accounts.sessions.logout(caller, { ip: "203.0.113.7", userAgent: null, requestId: "r" });

    expect(await outcome(opened.accounts.tokens.authenticate(accessToken, "bearer"))).equal("invalid_token");
  });

  it("is refused when its key was taken away", async () => {
    const { clock, stores } = opened;
    const keyRing = createKeyRing({
      keys: signingKeysIn(stores.mongo.db),
      sealing: createSealing(MASTER_KEY),
      clock,
      log: quietLog(),
      audit: () => undefined,
    });
    const tokens = createAccessTokens({ keyRing, clock });
    const token = await tokens.issue({ userId: newId(), username: "somebody", sessionId: newId() });
    expect(await outcome(tokens.verify(token))).equal("accepted");

    await stores.mongo.db.collection<SigningKeyDoc>("signing_keys").deleteMany({});
    await keyRing.reload();

    expect(await outcome(tokens.verify(token))).equal("invalid_token");
  });
});
