import type { ClientSession, Db } from "mongodb";
import { putAll } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";

export const POLL_STATUSES = ["active", "ended"] as const;
type PollStatus = (typeof POLL_STATUSES)[number];

/** The read model of a poll: written by its actor with every commit, never by anyone else. */
export type PollDoc = {
  _id: string;
  streamId: string;
  channelUserId: string;
  question: string;
  status: PollStatus;
  /** True while active: at most one per channel. */
  isOpen: boolean;
  /** In display order. */
  options: { id: string; text: string; votes: number }[];
  durationMs: number;
  /** When it will end by itself, or when it was ended. */
  endsAt: Date;
  createdBy: string;
  createdAt: Date;
};

/** The unique index that allows one open poll per channel, as `violatedIndex` names it. */
export const ONE_OPEN_POLL = "polls.one_open_a_stream";

export const pollsCollection = defineCollection<PollDoc>("polls", {
  personal: {
    actor: "poll",
    erase: { channelUserId: "delete", createdBy: "anonymise" },
    exports: [
      {
        by: "channelUserId",
        shows: ["question", "status", "options", "endsAt", "createdAt"],
      },
    ],
  },

  indexes: [
    { key: { channelUserId: 1 } }, // export and erasure
    {
      key: { streamId: 1 },
      unique: true,
      partialFilterExpression: { isOpen: true },
      name: "one_open_a_stream",
    },
  ],
});

export function pollsIn(db: Db) {
  const polls = pollsCollection.in(db);
  return {
    find: (id: string) => polls.findOne({ _id: id }),
    openOf: (streamId: string) => polls.findOne({ streamId, isOpen: true }),
    openIn: (streamIds: string[], session: ClientSession) =>
      polls.find({ streamId: { $in: streamIds }, isOpen: true }, { session }).toArray(),
    /** A second open poll of a channel causes a duplicate key. */
    save: (docs: PollDoc[], session: ClientSession) => putAll(polls, docs, session),
  };
}
