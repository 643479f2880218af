import { expect } from "chai";
import { newLink } from "../../../actors/identity/email-links.ts";
import type { Identity } from "../../../actors/identity/identity.ts";
import { apiTokensCollection } from "../../../store/mongo/api-tokens.ts";
import { type EmailTokenPurpose, emailTokensCollection } from "../../../store/mongo/email-tokens.ts";
import { type Opened, openIdentity, origin, outcome } from "./open-identity.ts";

const ROUNDS = 5;

describe("What is begun while an account is got back by mail", function () {
  this.timeout(60_000);
  let opened: Opened;
  let other: Identity;
  before(async () => {
    opened = await openIdentity();
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

  const ways = {
    "a reset of the password": async (account: Account) => {
      const token = await link("reset", account);
      return () => opened.identity.resetPassword(token, "a new phrase for specs", origin);
    },
    "an undone change of address": async (account: Account) => {
      const token = await link("undo", account);
      return () => opened.identity.undoEmailChange(token, origin);
    },
  };

  const newToken = (identity: Identity, { caller }: Account) =>
    identity.apiTokens.create({ name: "bot" }, caller, origin);
  const lastingTokens = (userId: string) =>
    apiTokensCollection.in(opened.stores.mongo.db).countDocuments({ userId, endedAt: null });

  for (const [way, prepare] of Object.entries(ways)) {
    it(`leaves no API token beside ${way}`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const account = await opened.account();
        const restore = await prepare(account);
        let isDone = false;
        async function makeMany(identity: Identity): Promise<void> {
          while (!isDone) await outcome(newToken(identity, account));
        }

        const making = [makeMany(opened.identity), makeMany(other)];
        await restore().finally(() => {
          isDone = true;
        });
        await Promise.all(making);

        expect(await lastingTokens(account.user._id)).equal(0);
      }
    });

    it(`makes no API token after ${way}, in a process that hasn't heard of it`, async () => {
      const account = await opened.account();
      const restore = await prepare(account);
      await restore();

      expect(await outcome(newToken(other, account))).equal("invalid_token");
      expect(await lastingTokens(account.user._id)).equal(0);
    });
  }
});
