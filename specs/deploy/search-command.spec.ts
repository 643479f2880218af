import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { usersCollection } from "../../store/mongo/accounts/users.ts";
import { type Given, givenChannels } from "../support/given-channels.ts";
import { operate } from "../support/operate.ts";
import { openOwnStores } from "../support/own-stores.ts";
import { openWorld, type World } from "../support/world.ts";

describe("npm run search", function () {
  this.timeout(60_000);
  let world: World;
  let given: Given;
  let home: string;
  before(async () => {
    home = mkdtempSync(join(tmpdir(), "livecore-search-"));
    world = await openWorld({ stores: openOwnStores });
    given = givenChannels(world);
  });
  after(async () => {
    await world?.close();
    rmSync(home, { recursive: true, force: true });
  });

  const search = async (...args: string[]) => {
    const { code, stdout, stderr } = await operate("deploy/commands/search", args, {
      home,
      database: world.core.mongo.db.databaseName,
    });
    return { code, output: stdout + stderr };
  };

  it("makes names findable that aren't, beside the running service", async () => {
    const [person, reader] = [await given.user(), await given.user()];
    const users = usersCollection.in(world.core.mongo.db);
    await users.updateOne({ _id: person.id }, { $unset: { search: "" } });
    const found = async () =>
      (await reader.api.ok("search", { query: { q: person.username } })).users.map(({ id }) => id);
    expect(await found()).deep.equal([]);

    const { code, output } = await search("rebuild");

    expect(output).match(/^\d+ names and titles looked at, 1 put right\.$/m);
    expect(code).equal(0);
    expect(await found()).deep.equal([person.id]);
    expect((await search("rebuild")).output).match(/looked at, 0 put right/);
  });

  it("says what it takes", async () => {
    expect(await search("everything")).deep.include({
      code: 2,
      output: "Usage: npm run search -- rebuild\n",
    });
  });
});
