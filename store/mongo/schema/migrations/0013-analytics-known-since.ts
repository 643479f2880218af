import { processClock } from "../../../../base/clock.ts";
import { DAY_MS } from "../../../../base/durations.ts";
import { channelDaysCollection } from "../../discovery/channel-days.ts";
import { knownSinceIn } from "../../discovery/known-since.ts";
import type { Migration } from "./migration.ts";

/** Rollups of before were kept for 94 days. */
const KEPT_MS = 94 * DAY_MS;

/** Says which figures are gone already, of a service that has some. */
export const analyticsKnownSince: Migration = {
  number: 13,
  name: "analytics known since",
  contracts: false,
  async run(db) {
    const isNew = (await channelDaysCollection.in(db).findOne({}, { projection: { _id: 1 } })) === null;
    if (isNew) return;
    const now = processClock.now();
    await knownSinceIn(db).keep({ since: new Date(now - KEPT_MS) }, new Date(now));
  },
};
