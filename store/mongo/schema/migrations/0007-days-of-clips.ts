import { clipsCollection } from "../../live/clips.ts";
import type { Migration } from "./migration.ts";

const DAY_MS = 86_400_000;

/** Lists of some days' clips use the day of creation. They lack clips that workers of the previous release make meanwhile. */
export const daysOfClips: Migration = {
  number: 7,
  name: "days of clips",
  contracts: false,
  async run(db) {
    const day = { $toInt: { $floor: { $divide: [{ $toLong: "$createdAt" }, DAY_MS] } } };
    await clipsCollection.in(db).updateMany({ madeOn: { $exists: false } }, [{ $set: { madeOn: day } }]);
  },
};
