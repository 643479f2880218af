import { expect } from "chai";
import { createSealing } from "../../../actors/identity/sealing.ts";
import { createPending, type Flow } from "../../../actors/oauth/pending.ts";
import { movableClock } from "../../support/clock.ts";
import { MASTER_KEY } from "../../support/core.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import type { Stores } from "../../support/stores.ts";

describe("what waits for somebody at a provider's page", () => {
  const clock = movableClock();
  let stores: Stores;
  let pending: ReturnType<typeof createPending>;
  before(async () => {
    stores = await openOwnStores();
    pending = createPending({ redis: stores.redis, sealing: createSealing(MASTER_KEY), clock });
  });
  after(() => stores?.close());

  const flow: Flow = {
    ...{ providerId: "one", browser: "hash", nonce: "n", verifier: "v", returnTo: "https://app.example/" },
    link: null,
  };
  const all = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 8 }, work));

  it("is taken by one of those who come with its state at once, and by nobody later", async () => {
    const state = await pending.begin(flow);

    const taken = await all(() => pending.take(state));

    expect(taken.filter((one) => one !== null)).deep.equal([flow]);
    expect(await pending.take(state)).equal(null);
  });

  it("is over after ten minutes by our clock too", async () => {
    const state = await pending.begin(flow);
    clock.move(600_000);

    expect(await pending.take(state)).equal(null);
  });

  it("lets a native client's code in once for each provider, of those that come at once", async () => {
    expect((await all(() => pending.useCode("app", "a code"))).filter(Boolean)).length(1);
    expect(await pending.useCode("app", "a code")).equal(false);
    expect(await pending.useCode("other", "a code")).equal(true);
  });
});
