import { expect } from "chai";
import { repeatWithLease } from "../../jobs/schedule/repeat-with-lease.ts";
import { newId } from "../../store/ids.ts";
import { eventually } from "../support/eventually.ts";
import { quietLog } from "../support/quiet-log.ts";
import { openStores, type Stores } from "../support/stores.ts";

describe("A job that runs alone", () => {
  let stores: Stores;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  /** Two workers with one job. */
  function begin() {
    const rounds = [0, 0];
    const key = `{spec}:${newId()}`;
    const running = rounds.map((_, worker) => {
      const work = async () => {
        rounds[worker] = (rounds[worker] ?? 0) + 1;
      };
      return repeatWithLease("spec", work, { key, redis: stores.redis, intervalMs: 5, log: quietLog() });
    });
    return { rounds, stop: () => Promise.all(running.map((one) => one.stop())) };
  }

  it("runs in one worker", async () => {
    const { rounds, stop } = begin();
    await eventually(() => Math.max(...rounds) > 20);
    await stop();
    expect(rounds.filter((count) => count > 0).length).equal(1);
  });

  it("runs in each worker while there is no Redis to ask", async () => {
    stores.redis.disconnect();
    const { rounds, stop } = begin();
    await eventually(() => Math.min(...rounds) > 5);
    await stop();
  });
});
