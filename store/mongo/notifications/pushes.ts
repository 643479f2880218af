import type { ClientSession, Db } from "mongodb";
import { inOneReply } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { byState, holdingIn, type OutboxRow } from "../driver/held-rows.ts";

/** How a push ended: accepted by its push service, given up, too late to be useful, or without a device to send it to. */
export type PushEnd = "sent" | "given_up" | "late" | "no_device";

/** A message to one device in the outbox: the row stays for a while after it was sent, so that it isn't sent again. */
export type PushDoc = {
  /** "message-device": the same message to the same device is one row. */
  _id: string;
  userId: string;
  /** `_id` of the device. */
  device: string;
  /** The content, with names of other users. Null once it has ended. */
  message: PushMessage | null;
  /** `held` and `dropped`: as for mails. */
  state: "waiting" | "held" | "dropped" | PushEnd;
  /** Number of started attempts, the current one included. */
  tries: number;
  createdAt: Date;
  /** When the next attempt may start; during an attempt, when that is considered dead (lease). */
  dueAt: Date;
};

/** What a device shows. Everything but account names is our own text. */
export type PushMessage = {
  title: string;
  body: string;
  /** Where a tap leads; null: just opens the app. */
  link: string | null;
  /** A notification type, or "digest" for several. */
  type: string;
  /** How many notifications it stands for. */
  count: number;
  /** The same for each attempt, so that a device shows it once. At most 32 characters of A-Z a-z 0-9 - _. */
  collapseId: string;
  /** It isn't useful after this. */
  usefulUntil: Date;
};

const TTL_SECONDS = 3 * 86_400;

export const pushesCollection = defineCollection<PushDoc>("pushes", {
  personal: {
    erase: {
      userId: "delete",
      message: { keep: "what others are notified of by push is gone when it has ended, within hours" },
    },
    exports: { nothing: "what was pushed stood in the list of notifications" },
  },
  indexes: [
    { key: { tries: 1, dueAt: 1 }, partialFilterExpression: { state: "waiting" } }, // due
    { key: { userId: 1 } }, // erasure, by `personal`
    { key: { createdAt: 1 }, expireAfterSeconds: TTL_SECONDS },
  ],
});

export function pushesIn(db: Db) {
  const pushes = pushesCollection.in(db);
  return {
    insert: async (docs: PushDoc[], session: ClientSession): Promise<void> =>
      void (await pushes.insertMany(docs, { session, ordered: false })),

    /** Due pushes, fewest attempts first. */
    due: (now: Date, limit: number) =>
      pushes
        .find({ state: "waiting", dueAt: { $lte: now } }, inOneReply(limit))
        .project<Pick<PushDoc, "_id" | "tries">>({ tries: 1 })
        .sort({ tries: 1, dueAt: 1 })
        .limit(limit)
        .toArray(),

    /** Starts an attempt, leased until `until`; null when it isn't due. */
    claim: (id: string, now: Date, until: Date) =>
      pushes.findOneAndUpdate(
        { _id: id, state: "waiting", dueAt: { $lte: now } },
        { $set: { dueAt: until }, $inc: { tries: 1 } },
        { returnDocument: "after" },
      ),

    ...holdingIn(pushesCollection.in<OutboxRow>(db), { ...byState("message"), kind: "$message.type" }),

    /** Its content is deleted with its end. */
    end: async (id: string, end: PushEnd) =>
      void (await pushes.updateOne({ _id: id, state: "waiting" }, { $set: { state: end, message: null } })),

    later: async (id: string, dueAt: Date) =>
      void (await pushes.updateOne({ _id: id, state: "waiting" }, { $set: { dueAt } })),

    /** Like `later`, for one that wasn't attempted after all: the attempt isn't counted. */
    putOff: async (id: string, dueAt: Date) =>
      void (await pushes.updateOne({ _id: id, state: "waiting" }, { $set: { dueAt }, $inc: { tries: -1 } })),
  };
}
