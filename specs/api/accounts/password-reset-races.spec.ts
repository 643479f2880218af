import { expect } from "chai";
import { newLink } from "../../../actors/accounts/tokens/email-links.ts";
import { emailTokensCollection } from "../../../store/mongo/accounts/email-tokens.ts";
import { afterNextRead } from "./oauth/interposed-read.ts";
import { type Opened, openAccounts, origin, outcome, PASSWORD } from "./open-accounts.ts";

const ROUNDS = 12;

describe("A reset of the password beside sign-ins with the old one", function () {
  this.timeout(60_000);
  let opened: Opened;
  before(async () => {
    opened = await openAccounts();
  });
  after(() => opened.close());

  async function link(user: { _id: string; email: string }): Promise<string> {
    const { token, doc } = newLink("reset", { userId: user._id, email: user.email }, opened.clock.now());
    await emailTokensCollection
      .in(opened.stores.mongo.db)
      .replaceOne({ _id: doc._id }, doc, { upsert: true });
    return token;
  }

  it("leaves no session that was opened by the old one", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { user, username } = await opened.account();
      const token = await link(user);
      const login = { login: username, password: PASSWORD, knownDevice: null };
      const signIns = Array.from({ length: 4 }, () => opened.accounts.signIn.login(login, origin));
      const reset = opened.accounts.recovery.resetPassword(token, `a new phrase ${round}`, origin);
      await Promise.allSettled([...signIns, reset]);
      await reset;

      expect(await opened.accounts.sessions.list(user._id)).deep.equal([]);
    }
  });

  it("leaves none of a sign-in either that has looked at the account before, and comes to its session after", async () => {
    const { user, username } = await opened.account();
    const token = await link(user);
    const reset = () => opened.accounts.recovery.resetPassword(token, "a new phrase for specs", origin);

    const wasBetween = afterNextRead("users", user._id, reset);
    const login = { login: username, password: PASSWORD, knownDevice: null };
    const signedIn = await outcome(opened.accounts.signIn.login(login, origin));

    expect([wasBetween(), signedIn]).deep.equal([true, "invalid_credentials"]);
    expect(await opened.accounts.sessions.list(user._id)).deep.equal([]);
  });

  it("is done once by a link that comes several times at once", async () => {
    const { user } = await opened.account();
    const token = await link(user);
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map((n) => opened.accounts.recovery.resetPassword(token, `a new phrase ${n}`, origin)),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).length(1);
  });
});
