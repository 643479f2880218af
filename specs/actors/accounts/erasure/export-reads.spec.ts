import { expect } from "chai";
import type { CommandStartedEvent } from "mongodb";
import { createAccountExport } from "../../../../actors/accounts/erasure/export.ts";
import type { SignedIn } from "../../../../actors/accounts/tokens/caller.ts";
import { connectMongo, type Mongo } from "../../../../store/mongo/driver/connect.ts";
import { standingClock } from "../../../support/clock.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import type { Stores } from "../../../support/stores.ts";

const ROWS = 1_000;
const caller: SignedIn = {
  kind: "user",
  userId: "ana",
  username: "ana",
  sessionId: "s-1",
  via: "bearer",
  grant: null,
};
const origin = { ip: "203.0.113.7", userAgent: "specs", requestId: "a-request-of-specs" };

describe("The reads of an export", () => {
  let stores: Stores;
  let watched: Mongo;
  const commands: CommandStartedEvent[] = [];
  before(async () => {
    stores = await openOwnStores();
    watched = await connectMongo({
      url: process.env.MONGODB_URL ?? "",
      database: stores.mongo.db.databaseName,
      selectionTimeoutMs: 5_000,
      maxPoolSize: 2,
      monitorCommands: true,
    });
    watched.client.on("commandStarted", (command) => void commands.push(command));
  });
  after(async () => {
    await watched.close();
    await stores.close();
  });

  it("are small, and each has the connection's time to itself, so that no account is too large", async () => {
    const docs = Array.from({ length: ROWS }, (_, n) => ({ userId: "ana", userAgent: `agent ${n}` }));
    await stores.mongo.db.collection("sessions").insertMany(docs);
    const { of } = createAccountExport({
      mongo: watched,
      audit: () => undefined,
      clock: standingClock(),
    });

    let text = "";
    for await (const part of of(caller, origin)) text += part;

    expect(JSON.parse(text).sessions).length(ROWS);
    const reads = commands.filter(({ commandName }) => ["find", "getMore"].includes(commandName));
    expect(new Set(reads.map(({ command }) => command.maxTimeMS))).deep.equal(new Set([undefined]));
    const ofSessions = reads.filter(({ command }) => [command.find, command.collection].includes("sessions"));
    expect(ofSessions).length.least(ROWS / 50);
  });
});
