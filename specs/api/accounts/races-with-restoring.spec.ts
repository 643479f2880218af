import { expect } from "chai";
import type { Accounts } from "../../../actors/accounts/accounts.ts";
import { createDeletionRequest } from "../../../actors/accounts/profile/deletion-request.ts";
import { newLink } from "../../../actors/accounts/tokens/email-links.ts";
import { createSealing } from "../../../actors/keys/sealing.ts";
import { createMailRequests } from "../../../actors/mail/mails.ts";
import { createAudit } from "../../../base/audit.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { apiTokensCollection, apiTokensIn } from "../../../store/mongo/accounts/api-tokens.ts";
import {
  type EmailTokenPurpose,
  emailTokensCollection,
  emailTokensIn,
} from "../../../store/mongo/accounts/email-tokens.ts";
import { sessionsIn } from "../../../store/mongo/accounts/sessions.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { MASTER_KEY, type Opened, openAccounts, origin, outcome, PASSWORD } from "./open-accounts.ts";

const ROUNDS = 5;
/** By each process: enough to come before, between and after, and not so many that what they race with has to wait for seconds. */
const TOKENS_AT_MOST = 25;

describe("What is begun while an account is got back by mail", function () {
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

  type Account = Awaited<ReturnType<Opened["account"]>>;

  async function link(purpose: EmailTokenPurpose, { user }: Account, email = user.email): Promise<string> {
    const { token, doc } = newLink(purpose, { userId: user._id, email }, opened.clock.now());
    const links = emailTokensCollection.in(opened.stores.mongo.db);
    await links.replaceOne({ _id: doc._id }, doc, { upsert: true });
    return token;
  }

  /** Its rest, for a session that lasts or was looked at too early. */
  function deletionAfter(shown: () => Promise<void>, isSessionLookedAt: boolean) {
    const { mongo } = opened.stores;
    const [sessions, tokens] = [sessionsIn(mongo.db), apiTokensIn(mongo.db)];
    return createDeletionRequest({
      mongo,
      sessions,
      tokens,
      emailTokens: emailTokensIn(mongo.db),
      clock: opened.clock,
      mails: createMailRequests({ mongo, clock: opened.clock, sealing: createSealing(MASTER_KEY) }),
      // The right one was shown.
      requirePassword: shown,
      async requireSession(sessionId, session) {
        const found = await sessions.find(sessionId, session);
        if (isSessionLookedAt && found?.endedAt !== null) throw new ServiceError("invalid_token");
      },
      endedAll: async () => undefined,
      audit: createAudit({ info: () => undefined }),
    });
  }

  const ways = {
    "a reset of the password": async (account: Account) => {
      const token = await link("reset", account);
      return () => opened.accounts.recovery.resetPassword(token, "a new phrase for specs", origin);
    },
    "an undone change of address": async (account: Account) => {
      const token = await link("undo", account);
      return () => opened.accounts.recovery.undoEmailChange(token, origin);
    },
    "an undone second factor": async (account: Account) => {
      const token = await link("undo_two_factor", account);
      return () => opened.accounts.recovery.undoTwoFactor(token, origin);
    },
  };

  const reasons: Readonly<Record<string, string>> = {
    "a reset of the password": "password_reset",
    "an undone change of address": "email_restored",
    "an undone second factor": "two_factor_changed",
  };

  const waitingChange = ({ user }: Account) =>
    emailTokensCollection.in(opened.stores.mongo.db).findOne({ _id: `change:${user._id}` });
  const newToken = (accounts: Accounts, { caller }: Account) =>
    accounts.apiTokens.create({ name: "bot" }, caller, origin);
  const activeTokens = (userId: string) =>
    apiTokensCollection.in(opened.stores.mongo.db).countDocuments({ userId, endedAt: null });

  for (const [way, prepare] of Object.entries(ways)) {
    it(`leaves no API token beside ${way}`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const account = await opened.account();
        const restore = await prepare(account);
        let isDone = false;
        async function makeMany(accounts: Accounts): Promise<void> {
          for (let n = 0; n < TOKENS_AT_MOST && !isDone; n++) await outcome(newToken(accounts, account));
        }

        const making = [makeMany(opened.accounts), makeMany(other)];
        await restore().finally(() => {
          isDone = true;
        });
        await Promise.all(making);

        expect(await activeTokens(account.user._id)).equal(0);
      }
    });

    it(`makes no API token after ${way}, in a process that wasn't notified of it`, async () => {
      const account = await opened.account();
      const restore = await prepare(account);
      await restore();

      expect(await outcome(newToken(other, account))).equal("invalid_token");
      expect(await activeTokens(account.user._id)).equal(0);
    });

    it(`deletes nothing for a caller who showed the password before ${way}`, async () => {
      for (const [isSessionLookedAt, refusal] of [
        [true, "invalid_token"],
        [false, "invalid_credentials"],
      ] as const) {
        const account = await opened.account();
        const remove = deletionAfter(await prepare(account), isSessionLookedAt);

        expect(await outcome(remove({ ...account, origin }, PASSWORD))).equal(refusal);
        const after = await usersIn(opened.stores.mongo.db).find(account.user._id);
        expect(after).include({ status: "active" });
      }
    });

    it(`leaves no change of address that is begun beside ${way}`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const account = await opened.account();
        const restore = await prepare(account);
        const change = { email: `new.${account.user.email}`, password: PASSWORD };

        await Promise.all([
          ...[other, opened.accounts].map((one) =>
            outcome(one.profile.updateMe(account.caller, change, origin)),
          ),
          restore(),
        ]);

        expect(await waitingChange(account)).equal(null);
      }
    });

    it(`puts no change of address back that is mailed again beside ${way}`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const account = await opened.account();
        const restore = await prepare(account);
        await link("change", account, `new.${account.user.email}`);

        const resending = [other, opened.accounts].map((one) =>
          one.profile.resendVerification(account.caller),
        );
        await Promise.allSettled([...resending, restore()]);

        expect(await waitingChange(account)).equal(null);
      }
    });

    it(`ends API tokens at once by ${way}, announced and in the audit log`, async () => {
      const account = await opened.account();
      const { token, doc } = await newToken(opened.accounts, account);
      await opened.accounts.tokens.authenticate(token, "bearer");
      const restore = await prepare(account);
      await restore();

      expect(await outcome(opened.accounts.tokens.authenticate(token, "bearer"))).equal("invalid_token");
      const { _id: userId } = account.user;
      expect(opened.announced).deep.include({ userId, sessionId: doc._id, reason: "ended" });
      const lines = opened.audited.filter(
        ({ event, grantId }) => event === "api_token.ended" && grantId === doc._id,
      );
      expect(lines.map(({ accountId, reason }) => ({ accountId, reason }))).deep.equal([
        { accountId: userId, reason: reasons[way] },
      ]);
    });
  }
});
