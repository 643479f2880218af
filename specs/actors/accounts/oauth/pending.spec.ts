import { expect } from "chai";
import { createPending, type Flow } from "../../../../actors/accounts/oauth/pending.ts";
import { newSecret } from "../../../../actors/accounts/tokens/browser-secrets.ts";
import { createSealing, type MasterKey } from "../../../../actors/keys/sealing.ts";
import { movableClock } from "../../../support/clock.ts";
import { openStores, type Stores } from "../../../support/stores.ts";

const [OLD, NEW] = ["spec-master-key-of-before", "spec-master-key-of-later"].map((key) => key.repeat(3)) as [
  string,
  string,
];

describe("What waits for somebody who is at a provider", () => {
  const clock = movableClock();
  let stores: Stores;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores?.close());

  const under = (masterKey: MasterKey) =>
    createPending({ redis: stores.redis, sealing: createSealing(masterKey), clock });
  const flow: Flow = {
    providerId: "one",
    browser: newSecret(),
    nonce: newSecret(),
    verifier: newSecret(),
    returnTo: "https://app.example/",
    link: null,
  };
  const newcomer = {
    issuer: "https://provider.example",
    subject: "1",
    email: null,
    isEmailVerified: false,
    device: newSecret(),
  };
  const all = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 8 }, work));

  it("is taken by one of those who come with its state at once, and by nobody later", async () => {
    const pending = under(NEW);
    const state = await pending.begin(flow);

    const taken = await all(() => pending.take(state));

    expect(taken.filter((one) => one !== null)).deep.equal([flow]);
    expect(await pending.take(state)).equal(null);
  });

  it("is over after ten minutes by our clock too", async () => {
    const state = await under(NEW).begin(flow);
    clock.move(600_000);

    expect(await under(NEW).take(state)).equal(null);
  });

  it("lets a native client's code in once for each provider, of those that come at once", async () => {
    const pending = under(NEW);
    const code = newSecret();

    expect((await all(() => pending.useCode("app", code))).filter(Boolean)).length(1);
    expect(await pending.useCode("app", code)).equal(false);
    expect(await pending.useCode("other", code)).equal(true);
  });

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
