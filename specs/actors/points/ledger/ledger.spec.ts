import { expect } from "chai";
import { createHost } from "../../../../actors/host/host.ts";
import { predictionDefinition } from "../../../../actors/points/prediction/definition.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import { betsIn } from "../../../../store/mongo/points/bets.ts";
import { codeOf } from "../../../support/code-of.ts";
import { openWorld, type World } from "../../host/world.ts";

const AT_ONCE = 300;

describe("predictions and the ledger", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  async function open(stream: StreamDoc, titles = ["yes", "no"]) {
    const outcomes = titles.map((title) => ({ title }));
    const input = { stream, title: "Will it work?", outcomes, durationSeconds: 60, by: stream.userId };
    const prediction = await world.predictions.open(input);
    const [yes = "", no = ""] = prediction.outcomes.map((outcome) => outcome.id);
    return { id: prediction._id, yes, no };
  }

  const bet = (predictionId: string, userId: string, outcomeId: string, amount: number, key?: string) =>
    world.predictions.bet({ predictionId, userId, outcomeId, amount, ...(key ? { key } : {}) });

  const balanceOf = async (userId: string, stream: StreamDoc) =>
    (await world.points.balance(userId, stream.userId)).balance;

  /** Every balance is the sum of its entries, never negative on the way, and the prediction's entries sum to 0. */
  async function expectSound(users: string[], stream: StreamDoc, predictionId: string) {
    for (const userId of users) {
      const { items } = await world.points.ledger(userId, stream.userId, { skip: 0, limit: 1_000 });
      const sum = items.reduce((total, entry) => total + entry.delta, 0);
      expect(await balanceOf(userId, stream)).equal(sum);
      expect(items.every((entry) => entry.balanceAfter >= 0)).equal(true);
      expect(items.map((entry) => entry.seq)).deep.equal(items.map((_, i) => items.length - i));
    }
    expect(await world.points.sumOfPrediction(predictionId)).equal(0);
  }

  it("takes the stakes of bets placed at once, pays the pool to the winners, and loses no point", async () => {
    const stream = await world.stream();
    const viewers = await world.viewers(stream, 40, 1_000);
    const { id, yes, no } = await open(stream);

    await Promise.all(viewers.map((user, i) => bet(id, user, i % 3 ? yes : no, 10 + i)));
    await world.predictions.lock(id, stream.userId);
    const resolved = await world.predictions.resolve(id, no, stream.userId);
    await world.settled();

    expect(resolved.status).equal("resolved");
    const after = await world.predictions.require(id);
    expect(after.isSettled).equal(true);
    expect(after.outcomes.map((outcome) => outcome.bettorCount)).deep.equal([26, 14]);
    const balances = await Promise.all(viewers.map((user) => balanceOf(user, stream)));
    expect(balances.reduce((a, b) => a + b, 0)).equal(40 * 1_000);
    expect(balances.every((balance, i) => (i % 3 ? balance === 990 - i : balance >= 1_000))).equal(true);
    await expectSound(viewers, stream, id);
  });

  it("gives every stake back once when it is cancelled, and says so privately", async () => {
    const stream = await world.stream();
    const [a = "", b = ""] = await world.viewers(stream, 2, 500);
    const { id, yes, no } = await open(stream);
    await bet(id, a, yes, 200);
    await bet(id, b, no, 300);

    await world.predictions.cancel(id, stream.userId);
    await world.settled();

    expect(await balanceOf(a, stream)).equal(500);
    expect(await balanceOf(b, stream)).equal(500);
    expect(await world.predictions.betOf(id, a)).include({ amount: 200, payout: 200 });
    const results = world.privateEvents.filter((one) => one.type === "prediction.result" && one.userId === a);
    expect(results.map((one) => one.data)).deep.equal([
      { prediction_id: id, outcome_id: yes, amount: 200, payout: 200 },
    ]);
    await expectSound([a, b], stream, id);
  });

  it("refunds everybody when nobody backed what came, and is still resolved", async () => {
    const stream = await world.stream();
    const [a = ""] = await world.viewers(stream, 1, 500);
    const { id, yes, no } = await open(stream);
    await bet(id, a, yes, 200);

    await world.predictions.resolve(id, no, stream.userId);
    await world.settled();

    expect(await world.predictions.require(id)).include({ status: "resolved", isSettled: true });
    expect(await balanceOf(a, stream)).equal(500);
  });

  it("settles more bets than fit into one commit, over several of them", async () => {
    const stream = await world.stream();
    const { id, yes, no } = await open(stream);
    const [winner = ""] = await world.viewers(stream, 1, 1_000);
    await bet(id, winner, yes, 1_000);
    const losers = await world.viewers(stream, 2_100, 10);
    // A bet waits a second at most; a slow machine takes longer for all of them.
    for (let from = 0; from < losers.length; from += AT_ONCE)
      await Promise.all(losers.slice(from, from + AT_ONCE).map((user) => bet(id, user, no, 10)));

    await world.predictions.resolve(id, yes, stream.userId);
    await world.settled();

    expect(await balanceOf(winner, stream)).equal(1_000 + 21_000);
    expect(await world.points.sumOfPrediction(id)).equal(0);
    const results = world.privateEvents.filter(
      (one) => one.type === "prediction.result" && one.data.prediction_id === id,
    );
    expect(results).length(2_101);
  }).timeout(60_000);

  it("goes on with a payout that another process began", async () => {
    const stream = await world.stream();
    const { id, yes } = await open(stream);
    const viewers = await world.viewers(stream, 3, 100);
    await Promise.all(viewers.map((user) => bet(id, user, yes, 100)));
    // A process that takes the decision and dies before the first batch.
    const definition = predictionDefinition(world.mongo.db);
    const dying = createHost({
      ...world.deps,
      outbox: world.outbox,
      machines: [definition],
      continueSettling: false,
    });
    await dying.ask(definition, id, { type: "resolve", outcomeId: yes }, { by: stream.userId });
    expect((await world.predictions.require(id)).isSettled).equal(false);

    await world.pass(1_000);
    await world.settled();

    expect((await world.predictions.require(id)).isSettled).equal(true);
    await expectSound(viewers, stream, id);
  });

  it("refuses what isn't allowed, each with its code and without effect", async () => {
    const stream = await world.stream();
    const [rich = "", poor = "", moderator = ""] = await world.viewers(stream, 3, 100);
    await world.give(rich, stream, 400_000);
    const { id, yes, no } = await open(stream);
    await bet(id, moderator, yes, 50);
    await bet(id, rich, yes, 200_000);

    expect(await codeOf(open(stream))).equal("prediction_open");
    expect(await codeOf(bet(id, stream.userId, yes, 1))).equal("own_prediction");
    expect(await codeOf(bet(id, poor, "nothing", 1))).equal("outcome_unknown");
    expect(await codeOf(bet(id, poor, yes, 101))).equal("insufficient_points");
    expect(await codeOf(bet(id, rich, no, 1))).equal("outcome_fixed");
    expect(await codeOf(bet(id, rich, yes, 50_001))).equal("stake_limit");
    for (const decide of [
      world.predictions.lock(id, moderator),
      world.predictions.cancel(id, moderator),
      world.predictions.resolve(id, yes, moderator),
    ]) {
      expect(await codeOf(decide)).equal("stake_holder");
    }
    expect(await codeOf(world.predictions.resolve(id, "nothing", stream.userId))).equal("outcome_unknown");
    expect(await codeOf(world.predictions.lock("nowhere", stream.userId))).equal("not_found");
    expect(await codeOf(bet("nowhere", poor, yes, 1))).equal("not_found");
    await world.predictions.lock(id, stream.userId);
    expect(await codeOf(bet(id, poor, yes, 1))).equal("invalid_state");
    expect(await codeOf(world.predictions.lock(id, stream.userId))).equal("invalid_state");

    expect(await balanceOf(poor, stream)).equal(100);
    expect(await balanceOf(rich, stream)).equal(200_100);
  });

  it("never lets two bets at once spend the same points, also on two predictions", async () => {
    const [one, two] = [await world.stream(), await world.stream()];
    const [user = ""] = await world.viewers(one, 1, 100);
    const first = await open(one);
    const rival = world.rival();

    const codes = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        codeOf(
          (i % 2 ? world : rival).predictions.bet({
            predictionId: first.id,
            userId: user,
            outcomeId: first.yes,
            amount: 60,
          }),
        ),
      ),
    );

    expect(codes.filter((code) => code === "ok")).length(1);
    expect(codes.filter((code) => code === "insufficient_points")).length(9);
    expect(await balanceOf(user, one)).equal(40);
    expect(await balanceOf(user, two)).equal(0);
  });

  it("answers a repeated request as before, and refuses the key for another one", async () => {
    const stream = await world.stream();
    const [user = ""] = await world.viewers(stream, 1, 500);
    const { id, yes } = await open(stream);
    const rival = world.rival();
    const input = { predictionId: id, userId: user, outcomeId: yes, amount: 100, key: "k1" };

    const answers = await Promise.all([
      world.predictions.bet(input),
      world.predictions.bet(input),
      rival.predictions.bet(input),
    ]);
    await bet(id, user, yes, 50);
    const later = await world.predictions.bet(input);

    for (const answer of [...answers, later]) expect(answer).deep.equal(answers[0]);
    expect(answers[0]).deep.include({ balance: 400 });
    expect(await codeOf(bet(id, user, yes, 101, "k1"))).equal("idempotency_conflict");
    expect(await balanceOf(user, stream)).equal(350);
  });

  it("opens one prediction for one key, and one at a time for a channel", async () => {
    const stream = await world.stream();
    const rival = world.rival();
    const input = {
      stream,
      title: "Once?",
      outcomes: [{ title: "a" }, { title: "b" }],
      durationSeconds: 60,
      by: stream.userId,
    };

    const [one, two] = await Promise.all([
      world.predictions.open({ ...input, key: "k" }),
      rival.predictions.open({ ...input, key: "k" }),
    ]);
    const third = await codeOf(world.predictions.open(input));

    expect(two).deep.equal(one);
    expect(third).equal("prediction_open");
    expect((await world.predictions.page(stream._id, { skip: 0, limit: 10 })).total).equal(1);
  });

  it("keeps two hosts from both deciding: one result, each bet once", async () => {
    const stream = await world.stream();
    const viewers = await world.viewers(stream, 60, 100);
    const { id, yes, no } = await open(stream);
    const rivals = [world, world.rival(), world.rival()];

    const bets = viewers.map((userId, i) =>
      codeOf(
        (rivals[i % 3] ?? world).predictions.bet({ predictionId: id, userId, outcomeId: yes, amount: 100 }),
      ),
    );
    await Promise.all(bets);
    const decisions = await Promise.all([
      codeOf(world.predictions.resolve(id, yes, stream.userId)),
      ...rivals.map((rival) => codeOf(rival.predictions.resolve(id, no, stream.userId))),
    ]);
    for (const rival of rivals) await rival.host.idle();

    expect(decisions.filter((code) => code === "ok")).length(1);
    expect(await betsIn(world.mongo.db).after(id, "", 100)).length(60);
    const after = await world.predictions.require(id);
    expect(after.isSettled).equal(true);
    await expectSound(viewers, stream, id);
    const { items } = await world.predictions.history(id, { skip: 0, limit: 10 });
    expect(items.map((change) => change.to)).deep.equal(["active", "resolved.paying", "resolved.paid"]);
  });
});
