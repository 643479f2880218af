import { expect } from "chai";
import { DAY_MS } from "../../../../base/durations.ts";
import { movableClock } from "../../../support/clock.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("the history of a prediction", () => {
  const { world, given } = setUpWorld({ clock: movableClock(), stores: openOwnStores });

  async function open() {
    const { owner, at } = await given.channel();
    const prediction = await owner.api.ok("createPrediction", {
      params: at,
      body: { title: "Who?", outcomes: [{ title: "us" }, { title: "them" }], duration_seconds: 60 },
    });
    const params = { prediction_id: prediction.id };
    const resolution = { outcome_id: prediction.outcomes[0]?.id ?? "" };
    const changes = async (by = owner) => {
      const { items } = await by.api.ok("getPredictionHistory", { params });
      return items.map(({ from, to }) => `${from} → ${to}`);
    };
    return {
      owner,
      lock: () => owner.api.ok("lockPrediction", { params }),
      resolve: () => owner.api.ok("resolvePrediction", { params, body: resolution }),
      changes,
    };
  }

  it("shows that bets were closed before an outcome won", async () => {
    const { lock, resolve, changes } = await open();

    await lock();
    await resolve();

    expect(await changes()).deep.equal(["null → active", "active → locked", "locked → resolved"]);
  });

  it("shows that an outcome won while bets were open", async () => {
    const { resolve, changes } = await open();

    await resolve();

    expect(await changes()).deep.equal(["null → active", "active → resolved"]);
  });

  it("shows that nobody decided within a day", async () => {
    const { owner, lock, changes } = await open();
    await lock();

    world.clock.move(DAY_MS);
    await world.jobs.timers.tick();

    // The access token is over by then.
    expect(await changes(await given.signedInAgain(owner))).deep.equal([
      "null → active",
      "active → locked",
      "locked → cancelled",
    ]);
  });
});
