import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";
import type { QueueFigures } from "./reports.ts";

type SupportStatus = "open" | "answered" | "closed";

/** A message to the operator; `dmca` names works and where they are used. */
export type SupportRequestDoc = {
  _id: string;
  kind: "support" | "dmca";
  status: SupportStatus;
  email: string;
  subject: string;
  message: string;
  dmca: { work: string; urls: string[]; goodFaith: boolean; signature: string } | null;
  /** The sender, if signed in. */
  userId: string | null;
  /** Only visible to staff. */
  note: string | null;
  handledBy: string | null;
  createdAt: Date;
  updatedAt: Date;
};

export const supportRequestsCollection = defineCollection<SupportRequestDoc>("support_requests", {
  personal: {
    erase: { userId: "delete", email: { holds: "email", does: "anonymise" }, handledBy: "anonymise" },
    exports: [
      { by: "userId", shows: ["_id", "kind", "status", "email", "subject", "message", "dmca", "createdAt"] },
    ],
  },

  indexes: [
    { key: { userId: 1 }, partialFilterExpression: { userId: { $gte: "" } } }, // export and erasure

    { key: { status: 1, createdAt: 1, _id: 1 } }, // page of a status
    { key: { createdAt: 1, _id: 1 } }, // page
    { key: { updatedAt: 1 } }, // queue
  ],
});

export function supportRequestsIn(db: Db) {
  const requests = supportRequestsCollection.in(db);
  return {
    insert: async (doc: SupportRequestDoc) => void (await requests.insertOne(doc)),
    find: (requestId: string) => requests.findOne({ _id: requestId }),
    /** Oldest first. */
    page: (status: SupportStatus | null, range: Range) =>
      pageIn(requests, status === null ? {} : { status }, { createdAt: 1, _id: 1 }, range),
    /** Nobody claims requests. */
    queue: async (handledSince: Date): Promise<QueueFigures> => {
      const [waiting, oldest, decided] = await Promise.all([
        requests.countDocuments({ status: "open" }),
        requests.findOne({ status: "open" }, { sort: { createdAt: 1 }, projection: { createdAt: 1 } }),
        requests.countDocuments({ updatedAt: { $gte: handledSince }, status: { $ne: "open" } }),
      ]);
      return { waiting, claimed: 0, oldestAt: oldest?.createdAt ?? null, decided };
    },
    /** Null when it isn't in one of these states (any more). */
    change: (
      requestId: string,
      from: SupportStatus[],
      set: Partial<Pick<SupportRequestDoc, "status" | "note" | "handledBy" | "updatedAt">>,
      session: ClientSession,
    ) =>
      requests.findOneAndUpdate(
        { _id: requestId, status: { $in: from } },
        { $set: set },
        { returnDocument: "after", session },
      ),
  };
}
