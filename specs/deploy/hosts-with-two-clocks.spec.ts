import { expect } from "chai";
import { createStoreClock } from "../../base/clock.ts";
import { createClockWatch } from "../../store/clocks/clock-watch.ts";
import { quietLog } from "../support/quiet-log.ts";
import { setUpWorld } from "../support/set-up-world.ts";
import { openStores, type Stores } from "../support/stores.ts";

for (const seconds of [300, -300, 8]) {
  describe(`two hosts on the same stores, one of which is ${seconds} s ahead`, () => {
    const wrong = createStoreClock({
      wall: () => Date.now() + seconds * 1_000,
      monotonic: () => performance.now(),
      uptime: () => performance.now(),
    });
    let stores: Stores;
    let watch: ReturnType<typeof createClockWatch>;
    before(async () => {
      stores = await openStores();
      watch = createClockWatch({ clock: wrong, db: stores.mongo.db, redis: stores.redis, log: quietLog() });
      await watch.start();
    });
    after(async () => {
      await watch.stop();
      await stores.close();
    });
    const { world: right, given } = setUpWorld();
    const there = setUpWorld({ clock: { ...wrong, move: () => undefined } });

    it("fires no timer of the other early", async () => {
      const { owner, at } = await given.channel();
      const prediction = await owner.api.ok("createPrediction", {
        params: at,
        body: { title: "Who wins?", outcomes: [{ title: "Red" }, { title: "Blue" }], duration_seconds: 120 },
      });

      await there.world.jobs.timers.tick();

      const params = { prediction_id: prediction.id };
      expect((await owner.api.ok("getPrediction", { params })).status).equal("active");
    });

    it("accepts each other's access tokens", async () => {
      const [here, away] = [await given.user(), await there.given.user()];

      expect((await there.world.api.as(here).call("getMe")).status).equal(200);
      expect((await right.api.as(away).call("getMe")).status).equal(200);
    });

    it("gives what it creates the time of the stores", async () => {
      const { owner } = await there.given.channel();
      const { created_at: at } = await owner.api.ok("getMe");

      expect(Date.parse(at ?? "")).within(Date.now() - 10_000, Date.now() + 100);
    });
  });
}
