/** Sums of a channel by minute, from indexes that have all that is read. Keys are Unix ms of the minutes' beginnings. */
import type { Db } from "mongodb";
import { followChangesCollection } from "../channels/follow-changes.ts";
import { rangeFilter, type TimeRange } from "../channels/rollup-times.ts";
import { chatMessagesCollection } from "../chat/chat-messages.ts";
import { sumsByMinute } from "../driver/time-sums.ts";
import { checkoutsCollection } from "../monetization/checkouts.ts";
import { tipsCollection } from "../monetization/tips.ts";

type Sums = Map<number, number>;

export function minuteSumsIn(db: Db) {
  return {
    messages: (streamId: string, range: TimeRange): Promise<Sums> =>
      sumsByMinute(
        chatMessagesCollection.in(db),
        { streamId, sentAt: rangeFilter(range) },
        { time: "sentAt", of: 1 },
      ),
    follows: (channelUserId: string, range: TimeRange): Promise<Sums> =>
      sumsByMinute(
        followChangesCollection.in(db),
        { channelUserId, createdAt: rangeFilter(range) },
        { time: "createdAt", of: "$gained" },
      ),
    subscriptions: (channelUserId: string, range: TimeRange): Promise<Sums> =>
      sumsByMinute(
        checkoutsCollection.in(db),
        { channelUserId, "order.kind": { $in: ["subscription", "gift"] }, paidAt: rangeFilter(range) },
        { time: "paidAt", of: 1 },
      ),
    tipCents: (toUserId: string, range: TimeRange): Promise<Sums> =>
      sumsByMinute(
        tipsCollection.in(db),
        { toUserId, status: "completed", paidAt: rangeFilter(range) },
        { time: "paidAt", of: "$amountCents" },
      ),
  };
}
