// @waits: for a lease to be renewed.
import { expect } from "chai";
import { processClock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { createLease, LEASE_MS } from "../../../jobs/tasks/lease.ts";
import { repeatWithLease } from "../../../jobs/tasks/repeat-with-lease.ts";
import { openRedis } from "../../../store/redis/open.ts";
import { eventually } from "../../support/eventually.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { type LogLine, recordingLog } from "../../support/recording-log.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";

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
      const { redis } = stores;
      const options = { key, redis, intervalMs: 5, clock: processClock, log: quietLog() };
      return repeatWithLease("spec", work, options);
    });
    return { rounds, stop: () => Promise.all(running.map((one) => one.stop())) };
  }

  it("runs in one worker", async () => {
    const { rounds, stop } = begin();
    await eventually(() => Math.max(...rounds) > 20);
    await stop();
    expect(rounds.filter((count) => count > 0).length).equal(1);
  });

  it("is taken over as soon as its worker has stopped, by a worker that asks Redis little while it holds it", async () => {
    const key = `{spec}:${newId()}`;
    const [mine, other] = [createLease(key), createLease(key)];
    const commands = () =>
      stores.redis.info("commandstats").then((text) => Number(/cmdstat_set:calls=(\d+)/.exec(text)?.[1]));
    expect(await mine.hold(stores.redis)).equal(true);
    const before = await commands();

    for (let i = 0; i < 50; i++) expect(await mine.hold(stores.redis)).equal(true);

    expect((await commands()) - before).below(50);
    const asked = await commands();
    expect(await mine.renew(stores.redis)).equal(true);
    expect((await commands()) - asked).equal(1);
    expect(await other.hold(stores.redis)).equal(false);
    await mine.release(stores.redis);
    expect([await other.hold(stores.redis), await mine.hold(stores.redis)]).deep.equal([true, false]);
    expect([other.isSure(), mine.isSure()]).deep.equal([true, false]);
  });

  it("renews its lease while its work goes on, long before it is over", async () => {
    const key = `{spec}:${newId()}`;
    const left: number[] = [];
    const renewals = () => left.filter((ms, i) => ms > (left[i - 1] ?? LEASE_MS)).length;
    const work = () =>
      eventually(
        async () => {
          left.push(await stores.redis.pttl(key));
          return renewals() >= 2;
        },
        { withinMs: LEASE_MS * 1.5 },
      );
    const { redis } = stores;
    const options = { key, redis, intervalMs: LEASE_MS, clock: processClock, log: quietLog() };
    const running = repeatWithLease("spec", work, options);
    await eventually(() => renewals() >= 2, { withinMs: LEASE_MS * 1.5 });
    await running.stop();

    // So that two renewals that fail don't lose it.
    expect(Math.min(...left)).above(LEASE_MS * 0.6);
  });

  it("loses its lease when its work never returns, and runs in another worker", async () => {
    const lines: LogLine[] = [];
    const key = `{spec}:${newId()}`;
    const options = {
      key,
      redis: stores.redis,
      intervalMs: 5,
      clock: processClock,
      log: recordingLog(lines),
      maxMs: 50,
    };
    let isSureOfHanging: () => boolean = () => true;
    let hangingRounds = 0;
    const hanging = repeatWithLease(
      "spec",
      (isSure) => {
        isSureOfHanging = isSure;
        hangingRounds++;
        return new Promise(() => undefined);
      },
      options,
    );
    await eventually(async () => (await stores.redis.exists(key)) === 1);
    const hasFailed = () => lines.some(({ message }) => message === "job round failed");
    await eventually(hasFailed);
    const failedAt = performance.now();
    // Its next rounds are due every 5 ms.
    await eventually(() => performance.now() > failedAt + 50);
    let rounds = 0;
    const other = repeatWithLease("spec", async () => void rounds++, options);

    await eventually(() => rounds > 5);

    expect(hangingRounds).equal(1);
    expect(isSureOfHanging()).equal(false);
    expect(lines.map(({ message }) => message)).include("job round failed");
    await Promise.all([hanging.stop(), other.stop()]);
  });

  it("logs once that its lease can't be renewed, and that it can again", async () => {
    const { port } = new URL(process.env.REDIS_URL ?? "");
    const proxy = await openTcpProxy(Number(port));
    const url = new URL(process.env.REDIS_URL ?? "");
    url.port = String(proxy.port);
    const redis = await openRedis({ url: url.href, deadlineMs: 200, onError: () => undefined });
    const lines: LogLine[] = [];
    const logged = (message: string) => lines.filter((line) => line.message === message).length;
    let hasFailed = false;
    const running = repeatWithLease(
      "spec",
      async () => {
        if (hasFailed) return;
        proxy.blackHole();
        await eventually(() => logged("lease renewal failed") > 0, { withinMs: LEASE_MS });
        hasFailed = true;
        proxy.release();
      },
      { key: `{spec}:${newId()}`, redis, intervalMs: 5, clock: processClock, log: recordingLog(lines) },
    );

    await eventually(() => logged("lease renewal recovered") === 1, { withinMs: 2 * LEASE_MS });

    expect(logged("lease renewal failed")).equal(1);
    await running.stop();
    redis.disconnect();
    await proxy.close();
  });

  it("runs in each worker while there is no Redis to ask", async () => {
    stores.redis.disconnect();
    const { rounds, stop } = begin();
    await eventually(() => Math.min(...rounds) > 5);
    await stop();
  });
});
