// @waits: for a Redis that has lost something to be noticed.
import { withSeed } from "../../stress/seed.ts";
import { failOver } from "./redis-failover.ts";
import { flush } from "./redis-flushed.ts";
import { openRedisPair } from "./redis-pair.ts";
import { openService } from "./with-service.ts";

describe("A Redis that loses", function () {
  this.timeout(180_000);
  let pair: Awaited<ReturnType<typeof openRedisPair>>;
  let opened: Awaited<ReturnType<typeof openService>>;
  before(async () => {
    pair = await openRedisPair();
    opened = await openService({ API_WORKERS: "1", REALTIME_WORKERS: "2", REDIS_URL: pair.url });
  });
  after(async () => {
    await opened?.end();
    await pair?.close();
  });

  it("everything, under load, is a gap that is announced to every client, and lets nobody speak who may not", () =>
    withSeed((seed, print) =>
      flush(opened.service, { seed, clients: 18, rooms: 4, perSecond: 10, flushes: 1, calmMs: 500 }, print),
    ));

  it("what its replica never received gives no number twice, and announces a gap to everybody who was shown what is gone", () =>
    withSeed((seed, print) =>
      failOver(
        { service: opened.service, pair },
        {
          seed,
          clients: 16,
          rooms: 4,
          perSecond: 12,
          calmMs: 500,
          behindMs: 1_500,
          // Loose, as other specs run beside; the full size holds both to the real goals.
          acceptsWithinMs: 15_000,
          newEpochsWithinMs: 30_000,
        },
        print,
      ),
    ));
});
