import { expect } from "chai";
import { createAuditTrail } from "../../../../actors/accounts/standing/audit-trail.ts";
import { type Audit, OPERATOR } from "../../../../base/audit.ts";
import { processClock } from "../../../../base/clock.ts";
import { newId } from "../../../../base/ids.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import type { Stores } from "../../../support/stores.ts";

describe("Audit lines of a transaction", () => {
  let stores: Stores;
  before(async () => {
    stores = await openOwnStores();
  });
  after(() => stores.close());

  it("a late attempt that goes on beside the next adds no audit line", async () => {
    const lines: unknown[] = [];
    const audit: Audit = (_event, _by, fields) => void lines.push(fields);
    const { transact } = createAuditTrail({
      mongo: stores.mongo,
      audit,
      clock: processClock,
      log: quietLog(),
    });
    const accountId = newId();
    let attempts = 0;
    let goOn: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      goOn = resolve;
    });

    await transact(async (session, note) => {
      attempts++;
      if (attempts === 1) await late;
      else goOn();
      note("staff.granted", OPERATOR, { accountId });
      await stores.mongo.db.collection<{ _id: string }>("spec_acts").insertOne({ _id: newId() }, { session });
    });

    expect(attempts).equal(2);
    expect(lines).deep.equal([{ accountId }]);
  });
});
