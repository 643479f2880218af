import { expect } from "chai";
import { newLink } from "../../../actors/accounts/tokens/email-links.ts";
import { codeAt } from "../../../actors/accounts/two-factor/one-time-codes.ts";
import { emailTokensCollection } from "../../../store/mongo/accounts/email-tokens.ts";
import { twoFactorsIn } from "../../../store/mongo/accounts/two-factor.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { signedIn } from "../../support/two-factor.ts";
import { afterNextRead } from "./oauth/interposed-read.ts";
import { type Opened, openAccounts, origin, outcome, PASSWORD } from "./open-accounts.ts";

const ANOTHER = "a new phrase for specs";
const ROUNDS = 12;

describe("What was begun for an account that isn't as it was any more", function () {
  this.timeout(60_000);
  let opened: Opened;
  before(async () => {
    opened = await openAccounts();
  });
  after(() => opened.close());

  it("changes no password once the session has been ended from elsewhere", async () => {
    const { user, username, caller } = await opened.account();
    const login = { login: username, password: PASSWORD, knownDevice: null };
    const owner = signedIn(await opened.accounts.signIn.login(login, origin));
    const { sessionId } = owner;
    const endOthers = () => opened.accounts.sessions.endOthers({ ...caller, sessionId }, origin);

    const wasBetween = afterNextRead("users", user._id, endOthers);
    const change = { current: PASSWORD, next: ANOTHER, endsTokens: false };
    const changed = await outcome(opened.accounts.profile.changePassword(caller, change, origin));

    expect([wasBetween(), changed]).deep.equal([true, "invalid_token"]);
    expect((await opened.accounts.sessions.list(user._id)).map(({ _id }) => _id)).deep.equal([sessionId]);
    expect(await outcome(opened.accounts.signIn.login(login, origin))).equal("accepted");
  });

  it("leaves no session of a sign-in with the old password beside a change of it", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { user, username, caller } = await opened.account();
      const login = { login: username, password: PASSWORD, knownDevice: null };
      const change = { current: PASSWORD, next: `${ANOTHER} ${round}`, endsTokens: false };

      const signIns = Array.from({ length: 6 }, () => opened.accounts.signIn.login(login, origin));
      const changing = opened.accounts.profile.changePassword(caller, change, origin);
      await Promise.allSettled([...signIns, changing]);
      await changing;

      const active = (await opened.accounts.sessions.list(user._id)).map(({ _id }) => _id);
      expect(active).deep.equal([caller.sessionId]);
    }
  });

  it("leaves no session to a deleted account of a sign-in beside its deletion", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { user, username, caller } = await opened.account();
      const login = { login: username, password: PASSWORD, knownDevice: null };

      const signIns = [1, 2].map(() => opened.accounts.signIn.login(login, origin));
      await Promise.allSettled([...signIns, opened.accounts.profile.deleteAccount(caller, PASSWORD, origin)]);

      // Unless it came back by one of them.
      const { status } = (await usersIn(opened.stores.mongo.db).find(user._id)) ?? {};
      if (status === "deleted") expect(await opened.accounts.sessions.list(user._id)).deep.equal([]);
    }
  });

  it("puts no second factor in force once the account has another address", async () => {
    const { user, caller } = await opened.account();
    const owner = await opened.accounts.twoFactor.ownerOf(caller, origin);
    const { secret } = await opened.accounts.twoFactor.setUp(owner);
    const wanted = { userId: user._id, email: `new.${user.email}` };
    const { token, doc } = newLink("change", wanted, opened.clock.now());
    const { db } = opened.stores.mongo;
    await emailTokensCollection.in(db).insertOne(doc);
    await opened.accounts.profile.verifyEmail(token, origin);

    const code = codeAt(secret, opened.clock.now());
    const verified = await outcome(opened.accounts.twoFactor.verify(owner, code));

    expect(verified).equal("invalid_state");
    expect((await twoFactorsIn(db).find(user._id))?.secretSealed).equal(null);
    expect((await usersIn(db).find(user._id))?.twoFactorEnabledAt ?? null).equal(null);
  });
});
