import { expect } from "chai";
import { DAY_MS } from "../../../base/durations.ts";
import { runKeptTargets } from "../../../jobs/safety/kept-targets.ts";
import type { Person } from "../../support/given-channels.ts";
import { type GivenStaff, givenStaff } from "../../support/given-staff.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("what reports keep of their targets", () => {
  const { world, given } = setUpWorld({ stores: openOwnStores });
  let staffed: GivenStaff;
  let staff: Person;
  before(async () => {
    staffed = givenStaff(world, given);
    staff = await staffed.staff();
  });

  /** A run of the job that much later. */
  const runAfter = (ms: number) =>
    runKeptTargets({
      db: world.core.mongo.db,
      now: () => new Date(world.clock.now() + ms),
      log: quietLog(),
    });

  async function reported(): Promise<string> {
    const [target, reporter] = [await given.user(), await given.user()];
    const about = { target_type: "user", target_id: target.id, reason_code: "hate" };
    await reporter.api.ok("createReport", { body: about });
    return staffed.caseOf(target.id);
  }

  const keptBy = async (report_id: string) => {
    const { snapshot, reports } = await staff.api.ok("getReport", { params: { report_id } });
    return [snapshot, ...(reports ?? []).map((one) => one.snapshot)].map((one) => one !== null);
  };

  it("goes 90 days after the decision, and stays as long as there is none", async () => {
    const [decided, waiting] = [await reported(), await reported()];
    for (const action of ["claim", "dismiss"])
      await staff.api.ok("handleReport", { params: { report_id: decided }, body: { action } });

    await runAfter(89 * DAY_MS);
    expect(await keptBy(decided)).deep.equal([true, true]);
    await runAfter(91 * DAY_MS);

    expect(await keptBy(decided)).deep.equal([false, false]);
    expect(await keptBy(waiting)).deep.equal([true, true]);
  });
});
