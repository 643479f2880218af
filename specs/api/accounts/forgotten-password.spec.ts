import { expect } from "chai";
import type { CommandStartedEvent } from "mongodb";
import { emailTokensCollection } from "../../../store/mongo/accounts/email-tokens.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { newName, type Opened, openAccounts } from "./open-accounts.ts";

describe("A request about a forgotten password", () => {
  let opened: Opened;
  let watched: Stores;
  before(async () => {
    opened = await openAccounts();
    watched = await openStores(opened.stores.mongo.db.databaseName, { monitorCommands: true });
  });
  after(async () => {
    await watched?.close();
    await opened.close();
  });

  it("looks for no account: it is the same one write for every address", async () => {
    const { user } = await opened.account();
    const accounts = opened.another({ mongo: watched.mongo });
    const commands: string[] = [];
    const note = ({ commandName, command }: CommandStartedEvent) =>
      void commands.push(`${commandName} ${command[commandName]}`);
    watched.mongo.client.on("commandStarted", note);

    for (const email of [user.email, user.email, `${newName()}@example.org`])
      await accounts.recovery.forgotPassword(email);

    expect(commands).deep.equal(Array(3).fill("update password_reset_requests"));
  });

  it("takes one of the address's five mails, though two workers process it at once", async () => {
    const { user } = await opened.account();
    const workers = [opened.accounts, opened.another()];
    const links = emailTokensCollection.in(opened.stores.mongo.db);

    for (let n = 0; n < 7; n++) {
      await opened.accounts.recovery.forgotPassword(user.email);
      await Promise.all(workers.map((worker) => worker.recovery.sweepPasswordResets()));
    }

    expect(await links.countDocuments({ purpose: "reset", userId: user._id })).equal(5);
  });
});
