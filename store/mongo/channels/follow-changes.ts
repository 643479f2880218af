import type { ClientSession, Db } from "mongodb";
import { newId } from "../../../base/ids.ts";
import { defineCollection } from "../driver/collection.ts";
import { touchActivity } from "./activity-marks.ts";
import { ROLLUP_LIFE_SECONDS } from "./rollup-times.ts";

/** How many users followed and unfollowed a channel in one transaction; not who. */
export type FollowChangesDoc = {
  _id: string;
  channelUserId: string;
  createdAt: Date;
  gained: number;
  lost: number;
};

export const followChangesCollection = defineCollection<FollowChangesDoc>("follow_changes", {
  personal: {
    erase: { channelUserId: "delete" },
    exports: { nothing: "they are numbers of others" },
  },

  indexes: [
    // Covers the query of channel activity.
    { key: { channelUserId: 1, createdAt: 1, gained: 1, lost: 1 } },
    { key: { createdAt: 1 }, expireAfterSeconds: ROLLUP_LIFE_SECONDS },
  ],
});

export function followChangesIn(db: Db) {
  const changes = followChangesCollection.in(db);
  return {
    /** Call it in the transaction that writes and deletes the follows, after its first statement. */
    async add(change: Omit<FollowChangesDoc, "_id">, session: ClientSession): Promise<void> {
      const { channelUserId, createdAt: at, gained, lost } = change;
      if (gained === 0 && lost === 0) return;
      await touchActivity(db, [{ channelUserId, at }]);
      await changes.insertOne({ _id: newId(), ...change }, { session });
    },
  };
}
