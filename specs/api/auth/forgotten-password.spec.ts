import { expect } from "chai";
import type { CommandStartedEvent } from "mongodb";
import { openStores, type Stores } from "../../support/stores.ts";
import { newName, type Opened, openIdentity } from "./open-identity.ts";

describe("A request about a forgotten password", () => {
  let opened: Opened;
  let watched: Stores;
  before(async () => {
    opened = await openIdentity();
    watched = await openStores(opened.stores.mongo.db.databaseName, { monitorCommands: true });
  });
  after(async () => {
    await watched?.close();
    await opened.close();
  });

  it("looks for no account: it is the same one write for every address", async () => {
    const { user } = await opened.account();
    const identity = opened.another({ mongo: watched.mongo });
    const commands: string[] = [];
    const note = ({ commandName, command }: CommandStartedEvent) =>
      void commands.push(`${commandName} ${command[commandName]}`);
    watched.mongo.client.on("commandStarted", note);

    for (const email of [user.email, user.email, `${newName()}@example.org`])
      await identity.forgotPassword(email);

    expect(commands).deep.equal(Array(3).fill("update password_reset_requests"));
  });
});
