import { expect } from "chai";
import { createLatestStores } from "../../deploy/processes/process/latest-stores.ts";

describe("what workers know of the stores from their primary", () => {
  const state = { mongodb: true, redis: false, elsewhere: ["realtime" as const] };

  it("lasts for ten seconds after the primary's last message", () => {
    let now = 0;
    const stores = createLatestStores(() => now);
    expect(stores.read()).equal(null);

    stores.receive({ ...state, redis: true });
    now = 5_000;
    stores.receive(state);

    now = 14_999;
    expect(stores.read()).deep.equal(state);
    now = 15_000;
    expect(stores.read()).equal(null);
    stores.receive(state);
    expect(stores.read()).deep.equal(state);
  });
});
