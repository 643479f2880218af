import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { connectRedis } from "../../../store/redis/connect.ts";
import { createFairLock } from "../../../store/redis/fair-lock.ts";
import { eventually } from "../../support/eventually.ts";
import { type LogLine, recordingLog } from "../../support/recording-log.ts";
import { openStores, type Stores } from "../../support/stores.ts";

describe("turns at an actor", () => {
  const lines: LogLine[] = [];
  let stores: Stores;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  it("are one at a time and in the order of asking, over processes", async () => {
    const actor = `counter:${newId()}`;
    const processes = Array.from({ length: 4 }, () => createFairLock(stores.redis, recordingLog(lines)));
    const seen: string[] = [];

    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        processes[i % 4]?.within(actor, Number.POSITIVE_INFINITY, async () => {
          seen.push(`${i} in`);
          await new Promise((resolve) => setImmediate(resolve));
          seen.push(`${i} out`);
        }),
      ),
    );

    expect(seen).deep.equal(Array.from({ length: 12 }, (_, i) => [`${i} in`, `${i} out`]).flat());
    expect(await stores.redis.exists(`lc:turn:${actor}`)).equal(0);
  });

  it("leave the line to the next when the work throws", async () => {
    const actor = `counter:${newId()}`;
    const turns = createFairLock(stores.redis, recordingLog(lines));

    const failed = turns.within(actor, Number.POSITIVE_INFINITY, () => Promise.reject(new Error("no")));
    expect(await failed.catch((err: unknown) => String(err))).contain("no");

    expect(await turns.within(actor, Number.POSITIVE_INFINITY, async () => "next")).equal("next");
  });

  it("are skipped, whatever Redis says instead of giving them", async () => {
    const actor = `counter:${newId()}`;
    await stores.redis.rpush(`lc:turn:${actor}`, "no turn");
    const turns = createFairLock(stores.redis, recordingLog(lines));

    expect(await turns.within(actor, Number.POSITIVE_INFINITY, async () => "done")).equal("done");
  });

  it("last as long as the work of a process that lives, and end with one that stands still", async () => {
    const actor = `counter:${newId()}`;
    const [one, two] = [0, 1].map(() => createFairLock(stores.redis, recordingLog(lines)));
    const order: string[] = [];
    let finish = (): void => undefined;
    const slow = one?.within(actor, Number.POSITIVE_INFINITY, async () => {
      order.push("slow in");
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      order.push("slow out");
    });
    await eventually(() => order.length === 1);
    const next = two?.within(actor, Number.POSITIVE_INFINITY, async () => void order.push("next"));
    const holder = async () => JSON.parse((await stores.redis.get(`lc:turn:${actor}`)) ?? "[]")[0];
    const begun: { t: string; seen: number } = await holder();

    await eventually(async () => (await holder()).seen > begun.seen + 2_500, { withinMs: 20_000 });
    expect(order).deep.equal(["slow in"]);
    expect((await holder()).t).equal(begun.t);
    finish();
    await Promise.all([slow, next]);

    expect(order).deep.equal(["slow in", "slow out", "next"]);
    const still = JSON.stringify([{ t: "zombie", seen: begun.seen, held: true }]);
    await stores.redis.set(`lc:turn:${actor}`, still);
    expect(await two?.within(actor, Number.POSITIVE_INFINITY, async () => "after it")).equal("after it");
  });

  it("aren't waited for while Redis is unavailable", async () => {
    const redis = connectRedis({ url: "redis://127.0.0.1:1", deadlineMs: 100, onError: () => undefined });
    const turns = createFairLock(redis, recordingLog(lines));
    const begun = performance.now();

    for (let i = 0; i < 100; i++) await turns.within("counter:x", Number.POSITIVE_INFINITY, async () => i);
    redis.disconnect();

    expect(performance.now() - begun).below(500);
  });
});
