import { MongoServerError } from "mongodb";
import type { Migration } from "./migration.ts";

const INDEX_NOT_FOUND = 27;

/** Slips of a prediction are found by their ids; the index that every bet had to pay for goes. */
export const betsById: Migration = {
  number: 2,
  name: "bets by id",
  async run(db) {
    try {
      await db.collection("bets").dropIndex("predictionId_1__id_1");
    } catch (err) {
      if (!(err instanceof MongoServerError) || err.code !== INDEX_NOT_FOUND) throw err;
    }
  },
};
