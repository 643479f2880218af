import { newId } from "../../../base/ids.ts";
import { type ReportCaseDoc, reportCasesCollection, reportsIn } from "../../../store/mongo/safety/reports.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { isServed } from "../plans/query-plans.ts";

const MANY = 2_000;
const RARE = 3;

const dismissed = (n: number, more: Pick<ReportCaseDoc, "targetType" | "reasonCode">): ReportCaseDoc => ({
  _id: newId(),
  targetId: newId(),
  subjectUserId: newId(),
  streamId: null,
  status: "dismissed",
  isOpen: false,
  reportCount: 1,
  priority: n % 7,
  claimedBy: null,
  claimedUntil: null,
  decidedBy: newId(),
  decidedAt: new Date(n + 1),
  measures: [],
  note: null,
  createdAt: new Date(n),
  ...more,
});

describe("decided cases", function () {
  this.timeout(60_000);
  let own: Stores;
  let stores: Stores;
  before(async () => {
    own = await openOwnStores();
    stores = await openStores(own.mongo.db.databaseName, { monitorCommands: true });
    const common = { targetType: "chat_message", reasonCode: "spam" } as const;
    const rare = { targetType: "clip", reasonCode: "hate" } as const;
    const docs = Array.from({ length: MANY }, (_, n) => dismissed(n, n < RARE ? rare : common));
    await reportCasesCollection.in(stores.mongo.db).insertMany(docs);
  });
  after(async () => {
    await stores.close();
    await own.close();
  });

  const FILTERS = {
    "a kind": { targetType: "clip", reasonCode: null },
    "a reason": { targetType: null, reasonCode: "hate" },
    both: { targetType: "clip", reasonCode: "hate" },
  } as const;
  for (const [name, filter] of Object.entries(FILTERS))
    for (const order of ["urgent", "oldest"] as const)
      it(`are found by ${name} without reading the others, ${order} first`, () =>
        isServed(
          stores,
          () =>
            reportsIn(stores.mongo.db).casePage(
              { status: "dismissed", ...filter, order },
              { skip: 0, limit: 24 },
            ),
          RARE,
        ));
});
