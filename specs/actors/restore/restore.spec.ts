import { expect } from "chai";
import { createSealing } from "../../../actors/keys/sealing.ts";
import { heldOutboxesIn } from "../../../actors/restore/held-outboxes.ts";
import { afterRestore, type RestoreOrder } from "../../../actors/restore/restore.ts";
import type { Audit } from "../../../base/audit.ts";
import { HOUR_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { restoresIn } from "../../../store/mongo/host/restores.ts";
import { standingClock } from "../../support/clock.ts";
import { MASTER_KEY } from "../../support/core.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import type { Stores } from "../../support/stores.ts";

const ALL_SESSIONS = { keepsSessions: false, endsTokens: false };
type RunOptions = Pick<Parameters<typeof afterRestore>[0], "requireNoWorkers"> & {
  waiting: Parameters<typeof afterRestore>[0]["held"]["waiting"];
};

describe("Steps after a restore", () => {
  let stores: Stores;
  before(async () => {
    stores = await openOwnStores();
  });
  after(() => stores.close());

  /** Runs the steps after the restore of a backup from `hoursAgo`, as `npm run restored` does. */
  function openRestore(hoursAgo: number, audit: Audit = () => undefined) {
    const { mongo, redis } = stores;
    const clock = standingClock();
    const held = heldOutboxesIn({ mongo, audit, clock });
    const sealing = createSealing([MASTER_KEY]);
    const backupTime = new Date(clock.now() - hoursAgo * HOUR_MS);
    const alone = async () => undefined;
    const run = (
      order: Omit<RestoreOrder, "backupTime">,
      { waiting = held.waiting, requireNoWorkers = alone }: Partial<RunOptions> = {},
    ) =>
      afterRestore(
        { mongo, redis, clock, audit, sealing, held: { hold: held.hold, waiting }, requireNoWorkers },
        { backupTime, ...order },
      );
    return { run, clock, unfinished: restoresIn(mongo.db).unfinished };
  }
  /** Interrupts a run at its last step. */
  const killed = { waiting: () => Promise.reject(new Error("killed")) };
  const messageOf = (run: Promise<unknown>) => run.catch((err: Error) => err.message);

  it("no step begins while a worker is connected", async () => {
    const { run, unfinished } = openRestore(1);
    const requireNoWorkers = () => Promise.reject(new Error("a worker is connected"));

    const refused = await messageOf(run(ALL_SESSIONS, { requireNoWorkers }));

    expect(refused).equal("a worker is connected");
    expect(await unfinished()).equal(null);
  });

  it("a restore counts as unfinished again while a later run ends more", async () => {
    const { run, unfinished } = openRestore(2);
    await run({ keepsSessions: true, endsTokens: false });
    const before = await unfinished();

    await messageOf(run({ keepsSessions: true, endsTokens: true }, killed));
    const during = await unfinished();
    await run({ keepsSessions: true, endsTokens: true });

    expect([before, during === null, await unfinished()]).deep.equal([null, false, null]);
  });

  it("the audit line has the counts of all runs after an interruption", async () => {
    const lines: unknown[] = [];
    const audit: Audit = (event, _, fields) => void (event === "database.restored" && lines.push(fields));
    const { run, clock } = openRestore(1, audit);
    await stores.mongo.db.collection<{ _id: string }>("sessions").insertMany(
      Array.from({ length: 3 }, () => ({
        _id: newId(),
        userId: newId(),
        createdAt: new Date(0),
        expiresAt: new Date(clock.now() + HOUR_MS),
        endedAt: null,
        endReason: null,
      })),
    );
    const interrupted = await messageOf(run(ALL_SESSIONS, killed));

    const { isNew, sessions } = await run(ALL_SESSIONS);
    const third = await run(ALL_SESSIONS);

    expect([interrupted, isNew, sessions, third.isNew]).deep.equal(["killed", true, 3, false]);
    expect(lines).length(1);
    expect(lines[0]).include({ sessions: 3 });
  });
});
