import { ServiceError } from "../../../../contract/errors.ts";
import type { BalanceDoc } from "../../../../store/mongo/points/balances.ts";
import type { BetDoc } from "../../../../store/mongo/points/bets.ts";
import type { PredictionDoc } from "../../../../store/mongo/points/predictions.ts";
import type { World } from "../world.ts";
import type { Answer } from "./answer.ts";
import { Names, type Subject } from "./names.ts";
import { type Ask, FORTUNES, type Step } from "./operations.ts";

/** The real host on real stores, with a channel of its own; everything goes through requests. */
export async function storedSubject(world: World): Promise<Subject & { names: Names }> {
  const stream = await world.stream();
  const viewers: string[] = [];
  for (const fortune of FORTUNES) viewers.push(...(await world.viewers(stream, 1, fortune)));
  const names = new Names(viewers, stream.userId);
  const { predictions, points, host } = world;
  const { db } = world.mongo;

  async function answerOf(call: Promise<{ doc: PredictionDoc; bet: BetDoc | null; balance: number | null }>) {
    try {
      const { doc, bet, balance } = await call;
      names.note(doc);
      return names.answer(doc, bet, balance);
    } catch (err) {
      if (!(err instanceof ServiceError)) throw err;
      return names.refusal(err.code, err.details);
    }
  }

  async function ask(request: Ask, prediction: PredictionDoc) {
    const by = names.user(request.by);
    const key = request.key === null ? null : String(request.key);
    const { _id: id } = prediction;
    const decided = (doc: PredictionDoc) => ({ doc, bet: null, balance: null });
    switch (request.type) {
      case "bet": {
        const outcomeId = names.outcomeId(prediction, request.outcome);
        const { amount } = request;
        const placed = await predictions.bet({ predictionId: id, outcomeId, amount, userId: by, key });
        return { doc: placed.prediction, bet: placed.bet, balance: placed.balance };
      }
      case "lock":
        return decided(await predictions.lock(id, by, key));
      case "cancel":
        return decided(await predictions.cancel(id, by, key));
      case "resolve":
        return decided(await predictions.resolve(id, names.outcomeId(prediction, request.outcome), by, key));
    }
  }

  async function open({ key, seconds }: Extract<Step, { type: "open" }>) {
    const doc = await predictions.open({
      stream,
      title: "?",
      outcomes: [{ title: "yes" }, { title: "no" }],
      durationSeconds: seconds,
      by: stream.userId,
      key: key === null ? null : String(key),
    });
    return { doc, bet: null, balance: null };
  }

  async function take(step: Step): Promise<Answer[]> {
    switch (step.type) {
      case "ask": {
        const prediction = names.predictions.at(step.older ? -2 : -1);
        if (!prediction) return step.asks.map(() => null);
        return Promise.all(step.asks.map((one) => answerOf(ask(one, prediction))));
      }
      case "open":
        return [await answerOf(open(step))];
      case "earn":
        await points.earnPresence({
          userId: names.user(step.user),
          channelUserId: stream.userId,
          streamId: stream._id,
          window: step.window,
        });
        return [];
      case "pass":
        await world.pass(step.ms);
        return [];
      default:
        throw new Error(`${step.type} is the pure part's alone`);
    }
  }

  return {
    names,
    async take(step) {
      const answers = await take(step);
      await host.idle();
      return answers;
    },
    async standing() {
      const ids = names.predictions.map((one) => one._id);
      const [docs, bets, balances] = await Promise.all([
        db.collection<PredictionDoc>("predictions").find({ streamId: stream._id }).toArray(),
        db
          .collection<BetDoc>("bets")
          .find({ predictionId: { $in: ids } })
          .toArray(),
        db.collection<BalanceDoc>("balances").find({ channelUserId: stream.userId }).toArray(),
      ]);
      const balanceOf = new Map(balances.map((one) => [one.userId, one.balance]));
      return { ...names.standing(docs, bets, balanceOf), redemptions: [] };
    },
  };
}
