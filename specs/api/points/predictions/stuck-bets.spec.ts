// @waits: for bets that are refused after a second
import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("bets on a prediction whose commits are stuck", () => {
  const { world, given } = setUpWorld({ clock: movableClock(), requestSlots: 2 });

  async function openPrediction() {
    const channel = await given.channel();
    const { owner, at } = channel;
    const { id, outcomes } = await owner.api.ok("createPrediction", {
      params: at,
      body: { title: "Who?", outcomes: [{ title: "us" }, { title: "them" }], duration_seconds: 60 },
    });
    const bettors = await Promise.all([1, 2, 3, 4].map(() => given.followerOf(channel)));
    const bets = bettors.map(({ api }) => {
      const headers = { "idempotency-key": newId() };
      const body = { outcome_id: outcomes[0]?.id ?? "", amount: 100 };
      return {
        place: () => api.call("placeBet", { params: { prediction_id: id }, body, headers }),
        balance: async () => (await api.ok("getPoints", { params: { user_id: owner.id } })).balance,
      };
    });
    return { id, bets };
  }

  /** A foreign transaction that holds its snapshot. */
  async function lock(id: string) {
    const { client, db } = world.core.mongo;
    const session = client.startSession();
    session.startTransaction();
    await db
      .collection<{ _id: string }>("snapshots")
      .updateOne({ _id: `prediction:${id}` }, { $set: { held: true } }, { session });
    return async () => {
      await session.abortTransaction();
      await session.endSession();
    };
  }

  it("are refused after a second, charge nothing, keep no other request waiting, and can be repeated", async () => {
    const { id, bets } = await openPrediction();
    const unlock = await lock(id);
    const [first, ...behind] = bets;
    const stuck = first?.place();
    await eventually(() => world.core.host.depth().actors === 1, { what: "a commit is stuck" });

    const refused = Promise.all(behind.map(({ place }) => place()));
    const others = await Promise.all(bets.map(({ balance }) => balance()));
    const refusals = await refused;
    const balances = await Promise.all(bets.map(({ balance }) => balance()));
    await unlock();
    const placed = [await stuck, ...(await Promise.all(behind.map(({ place }) => place())))];

    expect(refusals.map(({ status, code }) => `${status} ${code}`)).deep.equal(
      Array(3).fill("503 unavailable"),
    );
    for (const { headers } of refusals) expect(Number(headers.get("retry-after"))).within(1, 3);
    expect([others, balances]).deep.equal([Array(4).fill(300), Array(4).fill(300)]);
    expect(placed.map((answer) => answer?.status)).deep.equal(Array(4).fill(200));
    expect(await Promise.all(bets.map(({ balance }) => balance()))).deep.equal(Array(4).fill(200));
  });
});
