import type { ClientSession, Db } from "mongodb";
import { inOneReply } from "./bulk.ts";
import { defineCollection } from "./collection.ts";

/** How a push ended: taken by its service, given up, of no use any more, or without a device that it could go to. */
export type PushEnd = "sent" | "given_up" | "late" | "no_device";

/** A message to one device that is to be sent, or was: the row stays for a while, so that it is sent once. */
export type PushDoc = {
  /** "message-device": the same message to the same device is one row. */
  _id: string;
  userId: string;
  /** `_id` of the device. */
  device: string;
  /** What it says, with names of others. Null once it has ended. */
  message: PushMessage | null;
  state: "waiting" | PushEnd;
  /** Begun tries, the one under way included. */
  tries: number;
  createdAt: Date;
  /** When the next try may begin; while one is under way, when it is taken for dead. */
  dueAt: Date;
};

/** What a device shows. All of it is ours but for names of accounts. */
export type PushMessage = {
  title: string;
  body: string;
  /** Where a tap leads; null: into the app. */
  link: string | null;
  /** A type of notifications, or "digest" for several. */
  type: string;
  /** How many notifications it tells of. */
  count: number;
  /** The same each time that it is sent: a device that has it shows it once. At most 32 of A-Z a-z 0-9 - _. */
  collapseId: string;
  /** Of no use any more after it. */
  usefulUntil: Date;
};

const KEPT_SECONDS = 3 * 86_400;

export const pushesCollection = defineCollection<PushDoc>("pushes", {
  personal: {
    erase: {
      userId: "delete",
      message: { keep: "what others are told by push is gone when it has ended, within hours" },
    },
    exports: { nothing: "what was pushed stood in the list of notifications" },
  },
  indexes: [
    { key: { tries: 1, dueAt: 1 }, partialFilterExpression: { state: "waiting" } }, // due
    { key: { userId: 1 } }, // erasure, by `personal`
    { key: { createdAt: 1 }, expireAfterSeconds: KEPT_SECONDS },
  ],
});

export function pushesIn(db: Db) {
  const pushes = pushesCollection.in(db);
  return {
    insert: async (docs: PushDoc[], session: ClientSession): Promise<void> =>
      void (await pushes.insertMany(docs, { session, ordered: false })),

    /** Those that are due; who wasn't tried yet comes first. */
    due: (now: Date, limit: number) =>
      pushes
        .find({ state: "waiting", dueAt: { $lte: now } }, inOneReply(limit))
        .project<Pick<PushDoc, "_id" | "tries">>({ tries: 1 })
        .sort({ tries: 1, dueAt: 1 })
        .limit(limit)
        .toArray(),

    /** Begins a try, which is taken for dead at `until`; null when it isn't due. */
    claim: (id: string, now: Date, until: Date) =>
      pushes.findOneAndUpdate(
        { _id: id, state: "waiting", dueAt: { $lte: now } },
        { $set: { dueAt: until }, $inc: { tries: 1 } },
        { returnDocument: "after" },
      ),

    /** What it said goes with its end. */
    end: async (id: string, end: PushEnd) =>
      void (await pushes.updateOne({ _id: id, state: "waiting" }, { $set: { state: end, message: null } })),

    later: async (id: string, dueAt: Date) =>
      void (await pushes.updateOne({ _id: id, state: "waiting" }, { $set: { dueAt } })),

    /** As `later`, for one that wasn't tried after all. */
    putOff: async (id: string, dueAt: Date) =>
      void (await pushes.updateOne({ _id: id, state: "waiting" }, { $set: { dueAt }, $inc: { tries: -1 } })),
  };
}
