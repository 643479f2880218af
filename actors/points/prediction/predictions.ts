import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import { type BetDoc, betsIn } from "../../../store/mongo/points/bets.ts";
import { ledgerIn } from "../../../store/mongo/points/ledger.ts";
import { type PredictionDoc, predictionsIn } from "../../../store/mongo/points/predictions.ts";
import { type By, createActorClient } from "../../host/actor-client.ts";
import type { Host } from "../../host/host.ts";
import { defineLifecycle } from "../../host/lifecycle.ts";
import { type OnProgress, ProgressReports } from "../../host/progress.ts";
import { type PredictionDefinition, predictionDefinition } from "./definition.ts";
import type { PredictionCommand } from "./machine.ts";
import { predictionView } from "./view.ts";

/** A bet with its payout: null until it is settled, 0 for a lost bet. */
type SettledBet = BetDoc & { payout: number | null };

type Deps = { mongo: Mongo; host: Host; definition: PredictionDefinition; onProgress: OnProgress };

/**
 * Predictions: betting channel points on outcomes. Callers check who may open and decide; the actor decides everything
 * else, and refusals are thrown as ServiceErrors.
 */
export function createPredictions({ mongo, host, definition, onProgress }: Deps) {
  const predictions = predictionsIn(mongo.db);
  const bets = betsIn(mongo.db);
  const ledger = ledgerIn(mongo.db);
  const progress = new ProgressReports<PredictionDoc>({
    show: (doc) => onProgress(doc.streamId, { type: "prediction.progress", data: predictionView(doc) }),
    newest: predictions.find,
  });

  // This was the first machine with idempotency keys; they are older than key scopes.
  const actors = createActorClient(host, definition, { keyScope: "" });

  const decide = async (id: string, command: PredictionCommand, by: string, key?: string | null) =>
    (await actors.ask(id, command, { by, key })).prediction;

  async function requirePrediction(id: string): Promise<PredictionDoc> {
    const doc = await predictions.find(id);
    if (!doc) throw new ServiceError("not_found");
    return doc;
  }

  return {
    /** Throws `prediction_open` while the channel has another open prediction. */
    async open(
      opened: {
        stream: StreamDoc;
        title: string;
        outcomes: { title: string; color?: string | null }[];
        durationSeconds: number;
      } & By,
    ): Promise<PredictionDoc> {
      const { stream, title, outcomes, durationSeconds, by, key } = opened;
      const input = {
        streamId: stream._id,
        channelUserId: stream.userId,
        title,
        outcomes: outcomes.map(({ title, color }) => ({ id: newId(), title, color: color ?? null })),
        durationMs: durationSeconds * 1_000,
        createdBy: by,
      };
      const request = { streamId: stream._id, title, outcomes, durationSeconds };
      const made = await actors.create(newId(), input, { by, key }, { operation: "open", request });
      return made.prediction;
    },

    find: (id: string) => predictions.find(id),
    /** Throws `not_found`. */
    require: requirePrediction,
    /** Newest first. */
    page: (streamId: string, range: Range) => predictions.page(streamId, range),
    /** The prediction that is active or locked, or null. */
    openOf: (streamId: string) => predictions.openOf(streamId),
    async roomState(streamId: string) {
      const open = await predictions.openOf(streamId);
      return { prediction: open ? predictionView(open) : null };
    },

    lock: (id: string, by: string, key?: string | null) => decide(id, { type: "lock" }, by, key),
    /** The payout runs asynchronously in batches; the answer doesn't wait for it. */
    resolve: (id: string, outcomeId: string, by: string, key?: string | null) =>
      decide(id, { type: "resolve", outcomeId }, by, key),
    cancel: (id: string, by: string, key?: string | null) => decide(id, { type: "cancel" }, by, key),

    /** Takes the stake; returns the user's whole bet and the remaining balance. */
    async bet(placed: {
      predictionId: string;
      outcomeId: string;
      amount: number;
      userId: string;
      key?: string | null;
    }) {
      const { predictionId, outcomeId, amount, userId, key } = placed;
      const command = { type: "bet", opId: newId(), userId, outcomeId, amount } as const;
      const request = { predictionId, outcomeId, amount };
      const { prediction, bet, balance } = await actors.ask(
        predictionId,
        command,
        { by: userId, key },
        { request },
      );
      if (!bet || balance === null) throw new Error("a bet is answered with its bet and balance");
      progress.report(prediction);
      return { prediction, bet, balance };
    },

    /** The user's bet, or null. */
    async betOf(id: string, userId: string): Promise<SettledBet | null> {
      const [bet, prediction] = await Promise.all([bets.find(id, userId), predictions.find(id)]);
      if (!bet || !prediction) return null;
      if (prediction.isOpen) return { ...bet, payout: null };
      const paid = (await ledger.find(`payout:${bet._id}`)) ?? (await ledger.find(`refund:${bet._id}`));
      return { ...bet, payout: paid?.delta ?? (prediction.isSettled ? 0 : null) };
    },

    history: actors.history,

    stop: () => progress.stop(),
  };
}

export const predictionsLifecycle = defineLifecycle({
  define: ({ db }) => predictionDefinition(db),
  open: createPredictions,
});

/** What a path names by {prediction_id}. */
export async function predictionResource(
  { predictions }: { predictions: { require(id: string): Promise<PredictionDoc> } },
  id: string,
) {
  const prediction = await predictions.require(id);
  return { thing: prediction, channel: { _id: prediction.streamId, userId: prediction.channelUserId } };
}
