import { expect } from "chai";
import { prometheusMeter } from "../../../../deploy/processes/metrics/meter.ts";
import { processRegistry } from "../../../../deploy/processes/metrics/registry.ts";
import type { Core } from "../../../../deploy/processes/workers/core.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { type MovableClock, standingClock } from "../../../support/clock.ts";
import { specCore } from "../../../support/core.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { type LogLine, recordingLog } from "../../../support/recording-log.ts";
import type { Stores } from "../../../support/stores.ts";
import { userDoc } from "../../../support/user-doc.ts";

/** As many as one sweep takes. */
const FAILING = 20;

describe("A deleted account behind others that fail", () => {
  let stores: Stores;
  let core: Core;
  let clock: MovableClock;
  let lines: LogLine[];
  const registry = processRegistry("jobs");
  before(async () => {
    stores = await openOwnStores();
    clock = standingClock();
    lines = [];
    core = specCore(stores, { clock, log: recordingLog(lines), meter: prometheusMeter(registry) });
  });
  after(async () => {
    await refuse({});
    await stores.close();
  });
  beforeEach(async () => {
    lines.length = 0;
    await refuse({});
    await users().deleteMany({});
  });

  const users = () => usersCollection.in(stores.mongo.db);
  const sweeps = {
    settled: () => core.accountErasure.settle(),
    erased: () => core.accountErasure.erase(stores.mongo.db),
  };
  const failures = async () => (await users().findOne({ _id: "failing-0" }))?.deletion?.failures;

  /** MongoDB won't write what doesn't match. */
  const refuse = (validator: object) => stores.mongo.db.command({ collMod: "users", validator });

  async function given(isSettled: boolean): Promise<void> {
    const at = (ms: number) => new Date(clock.now() - ms);
    const deleted = (id: string, dueAt: Date) =>
      userDoc({
        _id: id,
        status: "deleted",
        deletion: { requestedAt: at(9_000), eraseAt: dueAt, isSettled, erasedAs: null, dueAt, failures: 0 },
      });
    const failing = Array.from({ length: FAILING }, (_, i) => deleted(`failing-${i}`, at(5_000)));
    await users().insertMany([...failing, deleted("good", at(1_000))]);
    const unchanged = isSettled ? { "deletion.erasedAs": null } : { "deletion.isSettled": false };
    await refuse({ $or: [{ _id: { $not: /^failing/ } }, unchanged] });
  }

  it("is erased", async () => {
    await given(true);
    await sweeps.erased();
    await sweeps.erased();

    expect(await users().countDocuments({ _id: "good" })).equal(0);
    expect(await users().countDocuments({})).equal(FAILING);
  });

  it("is settled, and is erased when its time is over", async () => {
    await given(false);
    await sweeps.settled();
    await sweeps.settled();

    expect((await users().findOne({ _id: "good" }))?.deletion).include({ isSettled: true, failures: 0 });
    await sweeps.erased();
    expect(await users().countDocuments({ _id: "good" })).equal(0);
  });

  for (const [step, sweep] of Object.entries(sweeps)) {
    it(`isn't kept by tries without a pause: what can't be ${step} is tried later and later, and alerts`, async () => {
      await given(step === "erased");
      const pauses: number[] = [];
      for (let i = 1; i <= 6; i++) {
        await sweep();
        await sweep();
        expect(await failures()).equal(i);
        const { deletion } = (await users().findOne({ _id: "failing-0" })) ?? {};
        pauses.push((deletion?.dueAt.getTime() ?? 0) - clock.now());
        clock.move(pauses.at(-1) ?? 0);
      }

      expect(pauses).deep.equal([2_000, 4_000, 8_000, 16_000, 32_000, 64_000]);
      expect(lines.filter(({ level }) => level === "error")).length(FAILING);
      const { values } = (await registry.getSingleMetric("livecore_stuck_deletions_total")?.get()) ?? {};
      expect(values?.find(({ labels }) => labels.step === step)?.value).equal(FAILING);
    });
  }
});
