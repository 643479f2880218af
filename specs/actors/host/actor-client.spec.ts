import { expect } from "chai";
import { createActorClient } from "../../../actors/host/actor-client.ts";
import { createHost } from "../../../actors/host/host.ts";
import { newId } from "../../../base/ids.ts";
import type { IdempotencyDoc } from "../../../store/mongo/driver/idempotency.ts";
import { counterDefinition } from "./counter.ts";
import { openWorld, type World } from "./world.ts";

describe("an idempotency key", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  /** Two machines with the same commands. */
  function clients() {
    const definitions = ["counter", "tally"].map((name) => ({ ...counterDefinition(), name }));
    const host = createHost({ ...world.deps, outbox: world.outbox, machines: definitions });
    return definitions.map((definition) => createActorClient(host, definition));
  }

  it("of one user counts in each machine by itself", async () => {
    const [counters, tallies] = clients();
    const [id, who] = [newId(), { by: newId(), key: "k1" }];
    await counters?.create(id, { start: 0 }, who);
    await tallies?.create(id, { start: 100 }, who);

    const add = { type: "add", amount: 5 } as const;
    const answers = [await counters?.ask(id, add, who), await tallies?.ask(id, add, who)];
    const again = [await counters?.ask(id, add, who), await tallies?.ask(id, add, who)];

    expect(answers.map((answer) => answer?.count)).deep.equal([5, 105]);
    expect(again).deep.equal(answers);
  });

  it("of a prediction is kept as releases before this one look for it", async () => {
    const stream = await world.stream();
    const [viewer = ""] = await world.viewers(stream, 1, 500);
    const outcomes = [{ title: "yes" }, { title: "no" }];
    const opened = { stream, title: "?", outcomes, durationSeconds: 60, by: stream.userId, key: "k1" };
    const { _id: predictionId, outcomes: made } = await world.predictions.open(opened);
    const bet = { predictionId, outcomeId: made[0]?.id ?? "", amount: 5, userId: viewer, key: "k2" };
    await world.predictions.bet(bet);

    const keys = await world.mongo.db.collection<IdempotencyDoc>("idempotency").find().toArray();
    expect(keys.map(({ _id }) => _id)).include.members([`${stream.userId}:open:k1`, `${viewer}:bet:k2`]);
  });
});
