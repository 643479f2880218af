import { expect } from "chai";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { watchedTopicsIn } from "../../../store/mongo/chat/watched-topics.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import type { Stores } from "../../support/stores.ts";

const START = Date.UTC(2026, 0, 1);

describe("what somebody watches most", () => {
  let stores: Stores;
  before(async () => {
    stores = await openOwnStores();
  });
  after(() => stores.close());

  async function watched(...windows: [value: string, day: number, times: number][]) {
    const topics = watchedTopicsIn(stores.mongo.db);
    const userId = newId();
    for (const [value, day, times] of windows) {
      const at = new Date(START + day * DAY_MS);
      for (let n = 0; n < times; n++) await topics.add(userId, [{ kind: "category", value }], at);
    }
    const most = await topics.most(userId, "category", 5);
    return most.map(({ value, share }) => [value, Math.round(share * 1_000) / 1_000]);
  }

  it("is what was watched longest, each with its share of the first", async () => {
    expect(await watched(["a", 0, 1], ["b", 0, 4], ["a", 0, 1])).deep.equal([
      ["b", 1],
      ["a", 0.5],
    ]);
  });

  it("counts half as much after two weeks, in whatever order it was written", async () => {
    expect(await watched(["old", 0, 4], ["new", 14, 4])).deep.equal([
      ["new", 1],
      ["old", 0.5],
    ]);
    expect(await watched(["new", 28, 1], ["old", 0, 2], ["new", 0, 4])).deep.equal([
      ["new", 1],
      ["old", 0.25],
    ]);
    expect(await watched(["a", 0, 8], ["a", 28, 1], ["b", 28, 3])).deep.equal([
      ["a", 1],
      ["b", 1],
    ]);
  });

  it("is nothing before anything was watched", async () => {
    expect(await watched()).deep.equal([]);
    await watchedTopicsIn(stores.mongo.db).add(newId(), [], new Date());
  });
});
