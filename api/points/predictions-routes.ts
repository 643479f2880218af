import { predictionView } from "../../actors/points/prediction/view.ts";
import { ServiceError } from "../../contract/errors.ts";
import { PREDICTION_STATUSES } from "../../store/mongo/points/predictions.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { publicState, stateChangeView } from "../http/state-change.ts";
import { betView } from "./bet-view.ts";

export function predictionRoutes({ bind, bindPage }: Operations, { predictions }: RouteDeps): void {
  bindPage("listPredictions", ({ stream }, range) =>
    mapPage(predictions.page(stream._id, range), predictionView),
  );

  bind("createPrediction", async ({ caller, stream, body, idempotencyKey }) => {
    const opened = await predictions.open({
      stream,
      title: body.title,
      outcomes: body.outcomes,
      durationSeconds: body.duration_seconds,
      by: caller.userId,
      key: idempotencyKey,
    });
    return predictionView(opened);
  });

  bind("getPrediction", ({ prediction }) => predictionView(prediction));

  bindPage("getPredictionHistory", ({ prediction }, range) =>
    mapPage(predictions.history(prediction._id, range), stateChangeView(stateOf)),
  );

  bind("lockPrediction", async ({ caller, prediction }) => {
    return predictionView(await predictions.lock(prediction._id, caller.userId));
  });

  bind("resolvePrediction", async ({ caller, prediction, body, idempotencyKey }) => {
    return predictionView(
      await predictions.resolve(prediction._id, body.outcome_id, caller.userId, idempotencyKey),
    );
  });

  bind("cancelPrediction", async ({ caller, prediction, idempotencyKey }) => {
    return predictionView(await predictions.cancel(prediction._id, caller.userId, idempotencyKey));
  });

  bind("placeBet", async ({ caller, params, body, idempotencyKey }) => {
    const { prediction, bet, balance } = await predictions.bet({
      predictionId: params.prediction_id,
      outcomeId: body.outcome_id,
      amount: body.amount,
      userId: caller.userId,
      key: idempotencyKey,
    });
    return { prediction: predictionView(prediction), bet: betView(bet, null), balance };
  });

  bind("getMyBet", async ({ caller, prediction }) => {
    const bet = await predictions.betOf(prediction._id, caller.userId);
    if (!bet) throw new ServiceError("not_found");
    return betView(bet, bet.payout);
  });
}

const DETAILS = ["paying", "paid", "refunding", "refunded"] as const;

const stateOf = (path: string) => publicState(path, { statuses: PREDICTION_STATUSES, details: DETAILS });
