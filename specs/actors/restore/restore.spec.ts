import { expect } from "chai";
import { createSealing } from "../../../actors/identity/sealing.ts";
import { heldOutboxesIn } from "../../../actors/restore/held-outboxes.ts";
import { afterRestore } from "../../../actors/restore/restore.ts";
import type { Audit } from "../../../store/audit.ts";
import { HOUR_MS } from "../../../store/durations.ts";
import { newId } from "../../../store/ids.ts";
import { restoresIn } from "../../../store/mongo/restores.ts";
import { standingClock } from "../../support/clock.ts";
import { MASTER_KEY } from "../../support/core.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import type { Stores } from "../../support/stores.ts";

describe("Steps after a restore", () => {
  let stores: Stores;
  before(async () => {
    stores = await openOwnStores();
  });
  after(() => stores.close());

  it("no step begins while a worker is connected", async () => {
    const clock = standingClock();
    const { mongo, redis } = stores;
    const audit = () => undefined;
    const held = heldOutboxesIn({ mongo, audit, clock });
    const sealing = createSealing([MASTER_KEY]);
    const requireNoWorkers = () => Promise.reject(new Error("a worker is connected"));
    const order = { backupTime: new Date(clock.now() - HOUR_MS), keepsSessions: false, endsTokens: false };

    const refused = await afterRestore(
      { mongo, redis, clock, audit, sealing, held, requireNoWorkers },
      order,
    ).catch((err: Error) => err.message);

    expect(refused).equal("a worker is connected");
    expect(await restoresIn(mongo.db).unfinished()).equal(null);
  });

  it("a restore counts as unfinished again while a later run ends more", async () => {
    const { mongo, redis } = stores;
    const clock = standingClock();
    const audit = () => undefined;
    const held = heldOutboxesIn({ mongo, audit, clock });
    const run = (endsTokens: boolean, waiting: typeof held.waiting) =>
      afterRestore(
        {
          mongo,
          redis,
          clock,
          audit,
          sealing: createSealing([MASTER_KEY]),
          held: { hold: held.hold, waiting },
          requireNoWorkers: async () => undefined,
        },
        { backupTime: new Date(clock.now() - 2 * HOUR_MS), keepsSessions: true, endsTokens },
      );
    const { unfinished } = restoresIn(mongo.db);
    await run(false, held.waiting);
    const before = await unfinished();

    await run(true, () => Promise.reject(new Error("killed"))).catch(() => undefined);
    const during = await unfinished();
    await run(true, held.waiting);

    expect([before, during === null, await unfinished()]).deep.equal([null, false, null]);
  });

  it("the audit line has the counts of all runs after an interruption", async () => {
    const { mongo, redis } = stores;
    const clock = standingClock();
    const backupTime = new Date(clock.now() - HOUR_MS);
    await mongo.db.collection<{ _id: string }>("sessions").insertMany(
      Array.from({ length: 3 }, () => ({
        _id: newId(),
        userId: newId(),
        createdAt: new Date(0),
        expiresAt: new Date(clock.now() + HOUR_MS),
        endedAt: null,
        endReason: null,
      })),
    );
    const lines: unknown[] = [];
    const audit: Audit = (event, _, fields) => void (event === "database.restored" && lines.push(fields));
    const held = heldOutboxesIn({ mongo, audit, clock });
    const run = (waiting: typeof held.waiting) =>
      afterRestore(
        {
          mongo,
          redis,
          clock,
          audit,
          sealing: createSealing([MASTER_KEY]),
          held: { hold: held.hold, waiting },
          requireNoWorkers: async () => undefined,
        },
        { backupTime, keepsSessions: false, endsTokens: false },
      );
    const killed = await run(() => Promise.reject(new Error("killed"))).catch((err: Error) => err.message);

    const { isNew, sessions } = await run(held.waiting);
    const third = await run(held.waiting);

    expect([killed, isNew, sessions, third.isNew]).deep.equal(["killed", true, 3, false]);
    expect(lines).length(1);
    expect(lines[0]).include({ sessions: 3 });
  });
});
