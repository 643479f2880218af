import type { ClientSession, Db } from "mongodb";
import { putAll } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

export const UNBAN_REQUEST_STATUSES = ["pending", "approved", "denied", "expired"] as const;
export type UnbanRequestStatus = (typeof UNBAN_REQUEST_STATUSES)[number];

/** The read model of an unban request: written by its actor with every commit, never by anyone else. */
export type UnbanRequestDoc = {
  _id: string;
  streamId: string;
  channelUserId: string;
  /** Who is banned. */
  userId: string;
  message: string;
  status: UnbanRequestStatus;
  /** True while pending: at most one per user and room. */
  isPending: boolean;
  /** What the moderator writes to the user. */
  note: string | null;
  createdAt: Date;
  /** When it was approved or denied, or expired; null while it is pending. */
  resolvedAt: Date | null;
  /** Who decided; null while it is pending, and when it expired. */
  resolvedBy: string | null;
};

/** The unique index that allows one pending request per user and room, as `violatedIndex` names it. */
export const ONE_PENDING_REQUEST = "unban_requests.one_pending_a_user";

const IN_ROOM = { streamId: 1, status: 1, _id: 1 } as const;

export const unbanRequestsCollection = defineCollection<UnbanRequestDoc>("unban_requests", {
  personal: {
    actor: "unban-request",
    erase: { userId: "delete", channelUserId: "delete", resolvedBy: "anonymise" },
    exports: [
      {
        by: "userId",
        shows: ["streamId", "message", "status", "note", "createdAt", "resolvedAt"],
      },
    ],
  },

  indexes: [
    { key: IN_ROOM }, // page
    { key: { userId: 1, _id: -1 } }, // pageOfUser, lastDenied, export and erasure
    { key: { channelUserId: 1 } }, // erasure
    {
      key: { streamId: 1, userId: 1 }, // pendingOf
      unique: true,
      partialFilterExpression: { isPending: true },
      name: "one_pending_a_user",
    },
  ],
});

export function unbanRequestsIn(db: Db) {
  const requests = unbanRequestsCollection.in(db);
  return {
    find: (id: string) => requests.findOne({ _id: id }),
    pendingOf: (streamId: string, userId: string, session: ClientSession) =>
      requests.findOne({ streamId, userId, isPending: true }, { session }),
    lastDenied: (streamId: string, userId: string) =>
      requests.findOne({ streamId, userId, status: "denied" }, { sort: { _id: -1 } }),

    /** A room's, oldest first; `status` null: all. */
    page: (streamId: string, status: UnbanRequestStatus | null, range: Range) =>
      pageIn(
        requests,
        // Naming all statuses lets the index give the order.
        { streamId, status: status ?? { $in: [...UNBAN_REQUEST_STATUSES] } },
        { _id: 1 },
        { ...range, hint: IN_ROOM },
      ),
    /** A user's own, newest first; `streamId` null: in all rooms. */
    pageOfUser: (userId: string, streamId: string | null, range: Range) =>
      pageIn(requests, { userId, ...(streamId === null ? {} : { streamId }) }, { _id: -1 }, range),

    /** A second pending request of a user in a room causes a duplicate key. */
    save: (docs: UnbanRequestDoc[], session: ClientSession) => putAll(requests, docs, session),
  };
}
