import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "./collection.ts";
import { pageIn } from "./page.ts";

export type PredictionStatus = "active" | "locked" | "resolved" | "cancelled";

type OutcomeDoc = {
  id: string;
  title: string;
  color: string | null;
  /** Points staked on it. */
  pointsPool: number;
  bettorCount: number;
};

/** A prediction as it reads: written by its actor with every commit, never by anyone else. */
export type PredictionDoc = {
  _id: string;
  streamId: string;
  /** The channel's owner, in whose points the stakes are. */
  channelUserId: string;
  title: string;
  status: PredictionStatus;
  /** True while active or locked: a channel has at most one such. */
  isOpen: boolean;
  /** When it locks by itself, or when it was locked. */
  locksAt: Date;
  resolvedOutcomeId: string | null;
  outcomes: OutcomeDoc[];
  /** All stakes are paid out or given back. */
  isSettled: boolean;
  createdBy: string;
  createdAt: Date;
};

/** The index by which a stream has at most one open prediction, as a violation of it is named. */
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
    page: (streamId: string, skip: number, limit: number) =>
      pageIn(predictions, { streamId }, { createdAt: -1, _id: -1 }, { skip, limit }),
    /** A second open one of a stream is a duplicate key. */
    save: async (docs: PredictionDoc[], session: ClientSession) =>
      void (await predictions.bulkWrite(
        docs.map((doc) => ({ replaceOne: { filter: { _id: doc._id }, replacement: doc, upsert: true } })),
        { session },
      )),
  };
}
