import { expect } from "chai";
import { createSealing, type MasterKey } from "../../../actors/identity/sealing.ts";
import { createPending, newSecret } from "../../../actors/oauth/pending.ts";
import { openStores, type Stores } from "../../support/stores.ts";

const [OLD, NEW] = ["spec-master-key-of-before", "spec-master-key-of-later"].map((key) => key.repeat(3)) as [
  string,
  string,
];

describe("What waits for somebody who is at a provider", () => {
  let stores: Stores;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  const under = (masterKey: MasterKey) =>
    createPending({ redis: stores.redis, sealing: createSealing(masterKey), clock: { now: Date.now } });
  const flow = {
    ...{ providerId: "spec", browser: newSecret(), nonce: newSecret(), verifier: newSecret() },
    ...{ returnTo: "/", link: null },
  };
  const newcomer = {
    ...{ issuer: "https://provider.example", subject: "1", email: null, isEmailVerified: false },
    device: newSecret(),
  };

  it("is still there under a MASTER_KEY_OLD", async () => {
    const state = await under(OLD).begin(flow);

    expect(await under([NEW, OLD]).take(state)).deep.equal(flow);
  });

  it("is unknown under a MASTER_KEY that was taken away", async () => {
    const [state, token] = [await under(OLD).begin(flow), await under(OLD).welcome(newcomer)];

    expect(await under(NEW).take(state)).equal(null);
    expect(await under(NEW).newcomer(token)).equal(null);
  });
});
