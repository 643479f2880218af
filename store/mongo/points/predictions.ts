import type { ClientSession, Db } from "mongodb";
import { putAll } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

export const PREDICTION_STATUSES = ["active", "locked", "resolved", "cancelled"] as const;
type PredictionStatus = (typeof PREDICTION_STATUSES)[number];

type OutcomeDoc = {
  id: string;
  title: string;
  color: string | null;
  /** Points staked on it. */
  pointsPool: number;
  bettorCount: number;
};

/** The read model of a prediction: written by its actor with every commit, never by anyone else. */
export type PredictionDoc = {
  _id: string;
  streamId: string;
  /** The channel's owner; stakes are in this channel's points. */
  channelUserId: string;
  title: string;
  status: PredictionStatus;
  /** True while active or locked: at most one per channel. */
  isOpen: boolean;
  /** When it will lock by itself, or when it was locked. */
  locksAt: Date;
  resolvedOutcomeId: string | null;
  outcomes: OutcomeDoc[];
  /** All stakes are paid out or refunded. */
  isSettled: boolean;
  createdBy: string;
  createdAt: Date;
};

/** The unique index that allows one open prediction per stream, as `violatedIndex` names it. */
export const ONE_OPEN_A_STREAM = "predictions.one_open_a_stream";

export const predictionsCollection = defineCollection<PredictionDoc>("predictions", {
  personal: {
    actor: "prediction",
    erase: { channelUserId: "delete", createdBy: "anonymise" },
    exports: [
      { by: "channelUserId", shows: ["title", "status", "outcomes", "resolvedOutcomeId", "createdAt"] },
    ],
  },

  indexes: [
    { key: { channelUserId: 1 } }, // export and erasure

    {
      key: { streamId: 1 },
      unique: true,
      partialFilterExpression: { isOpen: true },
      name: "one_open_a_stream",
    },
    { key: { streamId: 1, createdAt: -1, _id: -1 } }, // page
  ],
});

export function predictionsIn(db: Db) {
  const predictions = predictionsCollection.in(db);
  return {
    find: (id: string) => predictions.findOne({ _id: id }),
    openOf: (streamId: string) => predictions.findOne({ streamId, isOpen: true }),
    /** Newest first. */
    page: (streamId: string, range: Range) =>
      pageIn(predictions, { streamId }, { createdAt: -1, _id: -1 }, range),
    /** A second open prediction of a stream causes a duplicate key. */
    save: (docs: PredictionDoc[], session: ClientSession) => putAll(predictions, docs, session),
  };
}
