import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { DAY_MS } from "../../base/durations.ts";
import { newId } from "../../base/ids.ts";
import { followChangesCollection } from "../../store/mongo/channels/follow-changes.ts";
import { channelDaysCollection } from "../../store/mongo/discovery/channel-days.ts";
import { ledgerCollection } from "../../store/mongo/points/ledger.ts";
import { happened, scanOf, writeDown } from "../actors/discovery/analytics/given-activity.ts";
import { openAnalytics } from "../actors/discovery/analytics/open-analytics.ts";
import { operate } from "../support/operate.ts";
import { openOwnStores } from "../support/own-stores.ts";
import type { Stores } from "../support/stores.ts";

describe("npm run rollups", function () {
  this.timeout(60_000);
  let stores: Stores;
  let home: string;
  before(async () => {
    home = mkdtempSync(join(tmpdir(), "livecore-rollups-"));
    stores = await openOwnStores();
  });
  after(async () => {
    rmSync(home, { recursive: true, force: true });
    await stores.close();
  });

  const rollups = (...args: string[]) =>
    operate("deploy/commands/rollups", args, { home, database: stores.mongo.db.databaseName });

  it("counts what was written down anew where the rollups differ, and nothing a second time", async () => {
    const [channel, now] = [newId(), Date.now()];
    const all = fc.sample(happened(80 * DAY_MS), { numRuns: 50, seed: 11 }).map((one) => ({
      ...one,
      // Of hours that are over: the present one is scanned anyway.
      agoMs: one.agoMs + DAY_MS,
    }));
    await writeDown(stores, channel, all, now);

    const few = await rollups("rebuild", "--days", "1");
    const first = await rollups("rebuild");
    const second = await rollups("rebuild");

    expect([few.code, first.code, second.code]).deep.equal([0, 0, 0]);
    expect(first.stdout).match(/1 channels were looked at; [1-9]\d* hours differed and were counted anew\./);
    expect(second.stdout).include("1 channels were looked at; 0 hours differed");
    const days = new Set(all.map(({ agoMs }) => Math.floor((now - agoMs) / DAY_MS)));
    expect(await channelDaysCollection.in(stores.mongo.db).countDocuments())
      .equal(days.size)
      .above(5);
    const { points, follows } = await openAnalytics(stores).analytics.ofCreator(channel, "90d");
    expect({ points, follows }).deep.equal(scanOf(all, 90 * DAY_MS));
  });

  it("takes back what was counted of entries that are gone", async () => {
    const [channel, now] = [newId(), Date.now()];
    const all = fc.sample(happened(80 * DAY_MS), { numRuns: 20, seed: 12 });
    await writeDown(
      stores,
      channel,
      all.map((one) => ({ ...one, agoMs: one.agoMs + DAY_MS })),
      now,
    );
    await rollups("rebuild");
    const points = async () => (await openAnalytics(stores).analytics.ofCreator(channel, "90d")).points;
    expect((await points()).earned).above(0);
    // As the erasure of the channel's only viewer leaves it.
    await ledgerCollection.in(stores.mongo.db).deleteMany({ channelUserId: channel });
    await followChangesCollection.in(stores.mongo.db).deleteMany({ channelUserId: channel });

    await rollups("rebuild");

    expect(await points()).include({ earned: 0, spent: 0 });
  });

  it("says how it is used", async () => {
    for (const args of [[], ["rebuild", "--days", "183"], ["rebuild", "--days", "x"], ["list"]]) {
      const { code, stderr } = await rollups(...args);
      expect([code, stderr.includes("Usage: npm run rollups -- rebuild")]).deep.equal([2, true]);
    }
  });
});
