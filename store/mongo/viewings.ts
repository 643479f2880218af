import type { ClientSession, Db } from "mongodb";
import { accountOf } from "./balances.ts";
import { byIds } from "./bulk.ts";
import { defineCollection } from "./collection.ts";

/** How far a viewer is with what watching a channel brings beside each five minutes; `_id` is "user:channel". */
export type ViewingDoc = {
  _id: string;
  /** Windows that were paid since the last bonus began to wait or was claimed. */
  windows: number;
  /** A bonus waits to be claimed. */
  isBonusWaiting: boolean;
  /** Bonuses so far, the one that waits included: what makes each one's ledger key. */
  bonuses: number;
  /** The last broadcast that was watched, and how many in a row by then. */
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
    /** A user's, of these channels. */
    ofChannels: (userId: string, channelUserIds: string[]) =>
      byIds(
        viewings,
        channelUserIds.map((id) => accountOf(userId, id)),
      ),
    /** In a transaction that has read it. */
    put: async (doc: ViewingDoc, session: ClientSession) =>
      void (await viewings.replaceOne({ _id: doc._id }, doc, { upsert: true, session })),
    /** Takes the bonus that waits; null when none does. */
    takeBonus: (userId: string, channelUserId: string, session: ClientSession) =>
      viewings.findOneAndUpdate(
        { _id: accountOf(userId, channelUserId), isBonusWaiting: true },
        { $set: { isBonusWaiting: false, windows: 0 } },
        { session, returnDocument: "after" },
      ),
  };
}
