import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { MASTER_KEY } from "../support/core.ts";
import { givenChannels } from "../support/given-channels.ts";
import { operate } from "../support/operate.ts";
import { openOwnStores } from "../support/own-stores.ts";
import { openWorld, type World } from "../support/world.ts";

describe("npm run keys", function () {
  this.timeout(90_000);
  let world: World;
  let home: string;
  before(async () => {
    home = mkdtempSync(join(tmpdir(), "livecore-keys-"));
    world = await openWorld({ stores: openOwnStores });
    await givenChannels(world).channel();
  });
  after(async () => {
    await world?.close();
    rmSync(home, { recursive: true, force: true });
  });

  const keys = (args: string[], env: Record<string, string> = { MASTER_KEY }) =>
    operate("deploy/commands/keys", args, { home, database: world.core.mongo.db.databaseName, env });
  const kids = async () => (await world.core.mongo.db.collection("signing_keys").find().toArray()).length;

  it("rotates the signing keys, and leaves a line in the audit log", async () => {
    const before = await kids();

    const { code, stdout, stderr } = await keys(["rotate"]);

    expect(code, stderr).equal(0);
    expect(stdout).match(
      /^A new key signs access tokens from 20[\d-]+T[\d:.]+Z\. Those of the old ones hold until they end\.\n$/,
    );
    expect(stderr).include('"event":"signing_key.rotated"');
    expect(await kids()).greaterThan(before);
    expect((await keys(["rotate", "--at-once"])).stdout).match(/end within 65 seconds/);
  });

  it("seals everything anew, names what it did, and does nothing the second time", async () => {
    const env = { MASTER_KEY: randomBytes(32).toString("hex"), MASTER_KEY_OLD: MASTER_KEY };

    const first = await keys(["reseal"], env);
    const second = await keys(["reseal"], env);

    expect([first.code, second.code], first.stderr).deep.equal([0, 0]);
    expect(first.stdout).match(/streams\.streamKeySealed: 1 seen, 1 sealed anew, 0 that no key opens/);
    expect(second.stdout).match(/streams\.streamKeySealed: 1 seen, 0 sealed anew, 0 that no key opens/);
    const stranger = await keys(["reseal"], { MASTER_KEY: randomBytes(32).toString("hex") });
    expect(stranger.code).equal(1);
    expect(stranger.stdout).match(/streams\.streamKeySealed: 1 seen, 0 sealed anew, 1 that no key opens/);
    expect(stranger.stderr).include("Don't give up the old key");
    expect(first.stderr).match(/"event":"master_key.resealed".*"unopened":0/);
    expect(stranger.stderr).match(/"event":"master_key.resealed".*"unopened":[1-9]/);
    for (const { stdout, stderr } of [first, second, stranger])
      for (const secret of Object.values(env)) expect(stdout + stderr).not.include(secret);
  });

  it("says how it is used", async () => {
    const { code, stderr } = await keys(["change"]);

    expect(code).equal(2);
    expect(stderr).include("Usage: npm run keys -- rotate [--at-once] | reseal");
  });
});
