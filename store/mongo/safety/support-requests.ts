import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

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
