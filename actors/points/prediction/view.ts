import type { Prediction } from "../../../contract/wire.ts";
import { PREDICTION_STATUSES, type PredictionDoc } from "../../../store/mongo/points/predictions.ts";
import type { ActorState } from "../../host/actor-types.ts";
import { publicStatus } from "../../host/public-status.ts";
import type { PredictionContext } from "./machine.ts";

export function predictionView(doc: PredictionDoc): Prediction {
  return {
    id: doc._id,
    stream_id: doc.streamId,
    title: doc.title,
    status: doc.status,
    locks_at: doc.locksAt.toISOString(),
    resolved_outcome_id: doc.resolvedOutcomeId,
    outcomes: doc.outcomes.map((outcome) => ({
      id: outcome.id,
      title: outcome.title,
      color: outcome.color,
      points_pool: outcome.pointsPool,
      bettor_count: outcome.bettorCount,
    })),
    created_at: doc.createdAt.toISOString(),
  };
}

/** The projection of an actor's state; the only place that maps states to public statuses. */
export function predictionDoc(state: ActorState<PredictionContext>): PredictionDoc {
  const { id, path, context } = state;
  const status = publicStatus(state, PREDICTION_STATUSES);
  return {
    _id: id,
    streamId: context.streamId,
    channelUserId: context.channelUserId,
    title: context.title,
    status,
    isOpen: status === "active" || status === "locked",
    locksAt: new Date(context.locksAt),
    resolvedOutcomeId: context.resolvedOutcomeId,
    outcomes: context.outcomes.map(({ id, title, color, pool, bettors }) => ({
      id,
      title,
      color,
      pointsPool: pool,
      bettorCount: bettors,
    })),
    isSettled: path === "resolved.paid" || path === "cancelled.refunded",
    createdBy: context.createdBy,
    createdAt: new Date(context.openedAt),
  };
}
