import type { ClientSession, Db } from "mongodb";
import { byIds } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { accountOf } from "../points/balances.ts";

/** A viewer's progress towards rewards for watching a channel, besides those per five minutes; `_id` is "user:channel". */
export type ViewingDoc = {
  _id: string;
  /** Windows that were paid since the last bonus became available or was claimed. */
  windows: number;
  /** A bonus can be claimed. */
  isBonusWaiting: boolean;
  /** Number of bonuses so far, including an unclaimed one: part of each one's ledger key. */
  bonuses: number;
  /** The last broadcast that was watched; `streak`: how many in a row up to it. */
  broadcastId: string | null;
  streak: number;
};

export const viewingsCollection = defineCollection<ViewingDoc>("viewings", {
  personal: {
    erase: { _id: { key: "either", does: "delete" } },
    exports: [{ by: "_id", isKey: true, shows: ["_id", "windows", "bonuses", "streak"] }],
  },
});

export function viewingsIn(db: Db) {
  const viewings = viewingsCollection.in(db);
  return {
    find: (userId: string, channelUserId: string, session?: ClientSession) =>
      viewings.findOne({ _id: accountOf(userId, channelUserId) }, session ? { session } : {}),
    /** A user's viewings of these channels. */
    ofChannels: (userId: string, channelUserIds: string[]) =>
      byIds(
        viewings,
        channelUserIds.map((id) => accountOf(userId, id)),
      ),
    /** Call it in the transaction that has read it. */
    put: async (doc: ViewingDoc, session: ClientSession) =>
      void (await viewings.replaceOne({ _id: doc._id }, doc, { upsert: true, session })),
    /** Claims the available bonus; null when there is none. */
    takeBonus: (userId: string, channelUserId: string, session: ClientSession) =>
      viewings.findOneAndUpdate(
        { _id: accountOf(userId, channelUserId), isBonusWaiting: true },
        { $set: { isBonusWaiting: false, windows: 0 } },
        { session, returnDocument: "after" },
      ),
  };
}
