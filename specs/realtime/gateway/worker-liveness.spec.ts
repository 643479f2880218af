import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { RenewalRound } from "../../../realtime/gateway/socket/renewal-round.ts";
import { WorkerLiveness } from "../../../realtime/gateway/socket/worker-liveness.ts";
import { openStores, type Stores } from "../../support/stores.ts";

describe("what a worker knows of others", () => {
  let stores: Stores;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  it("has at once those that were found dead before, and reads others at most once a second", async () => {
    const [one, other] = [new WorkerLiveness(stores.redis), new WorkerLiveness(stores.redis)];
    await Promise.all([one.heartbeat(), other.heartbeat()]);
    const [dead, unknown] = [newId(), newId()];

    const first = await one.deadOf([dead, other.name]);
    const again = await one.deadOf([dead, other.name]);
    const soon = await one.deadOf([dead, unknown, other.name]);

    expect([first, again, soon]).deep.equal([[dead], [dead], [dead]]);
    await Promise.all([one.leave(), other.leave()]);
  });

  it("has another name at once, also when the old one can't be taken back", async () => {
    const { evalsha, eval: run } = stores.redis;
    const worker = new WorkerLiveness(stores.redis);
    await worker.heartbeat();
    const former = worker.name;
    let calls = 0;
    stores.redis.evalsha = ((...args: Parameters<typeof evalsha>) =>
      ++calls === 2
        ? Promise.reject(new Error("Connection is closed."))
        : evalsha.apply(stores.redis, args)) as never;

    try {
      await worker.rename();
    } finally {
      stores.redis.evalsha = evalsha;
      stores.redis.eval = run;
    }

    expect(worker.name).not.equal(former);
    expect(await worker.heartbeat()).equal(false);
    await worker.leave();
  });
});

describe("a round of renewals", () => {
  it("meets all that stay, however many come and go meanwhile", () => {
    const keys = new Map<string, number>(Array.from({ length: 200 }, (_, i) => [`stays ${i}`, i]));
    const round = new RenewalRound(keys, 100);
    const metAt = new Map<string, number>();
    let longest = 0;
    for (let step = 0; step < 2_000; step++) {
      for (let n = 0; n < 20; n++) keys.set(`comes ${step} ${n}`, n);
      for (let n = 0; n < 20; n++) keys.delete(`comes ${step - 50} ${n}`);
      for (const key of round.next()) {
        if (!key.startsWith("stays")) continue;
        longest = Math.max(longest, step - (metAt.get(key) ?? 0));
        metAt.set(key, step);
      }
    }

    expect(metAt.size).equal(200);
    expect(longest).most(200);
  });
});
