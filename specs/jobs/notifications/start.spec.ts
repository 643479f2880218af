import { expect } from "chai";
import { processClock } from "../../../base/clock.ts";
import { startPushes } from "../../../jobs/notifications/pushes.ts";
import { connectBlockingRedis, connectRedis } from "../../../store/redis/connect.ts";
import { eventually } from "../../support/eventually.ts";
import { type OwnValkey, openValkey } from "../../support/own-valkey.ts";
import { quietLog } from "../../support/quiet-log.ts";

describe("The job that pushes, started while Redis is away,", function () {
  this.timeout(60_000);
  let valkey: OwnValkey;
  before(async () => {
    valkey = await openValkey();
  });
  after(() => valkey.close());

  it("says so, for its process to start anew: BullMQ would wait for it for ever", async () => {
    const onError = () => undefined;
    const redis = connectRedis({ url: valkey.url, deadlineMs: 1_000, onError });
    await redis.connect();
    const sent: string[] = [];
    const start = () =>
      startPushes({
        pushes: {
          canSend: true,
          due: async () => (sent.length === 0 ? [{ id: "one", tries: 0 }] : []),
          send: async (id) => void sent.push(id),
          stop: () => undefined,
        },
        redis,
        blockingRedis: () => connectBlockingRedis({ url: valkey.url, onError }),
        clock: processClock,
        log: quietLog(),
      });
    await valkey.kill();
    try {
      const failed = await start().then(
        () => null,
        (err: unknown) => err,
      );
      await valkey.startAgain();
      expect(failed).instanceOf(Error);

      await eventually(() => redis.status === "ready");
      const job = await start();
      await eventually(() => sent.length > 0, { withinMs: 20_000 });
      await job.stop();
    } finally {
      redis.disconnect();
    }
  });
});
