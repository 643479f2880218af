import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

export type TermAction = "block" | "hold" | "allow" | "block_links" | "verified_only";

/** A term that a room's texts are checked for. */
export type BlockedTermDoc = {
  /** Integers, from the counter `blocked_terms`. */
  _id: number;
  streamId: string;
  /** The channel's owner. */
  channelId: string;
  term: string;
  isRegex: boolean;
  /** Instructions that a regex compiles to; 0 for plain terms. */
  size: number;
  action: TermAction;
  createdBy: string;
  createdAt: Date;
};

export const blockedTermsCollection = defineCollection<BlockedTermDoc>("blocked_terms", {
  personal: {
    erase: {
      channelId: "delete",
      streamId: { with: "channelId" },
      createdBy: "anonymise",
    },
    exports: [
      { by: "channelId", shows: ["term", "isRegex", "action", "createdAt"] },
      {
        as: "blocked_terms_by_me",
        by: "createdBy",
        shows: ["streamId", "term", "isRegex", "action", "createdAt"],
      },
    ],
  },

  indexes: [
    { key: { channelId: 1 } }, // export and erasure
    { key: { createdBy: 1 } }, // export and erasure
    { key: { streamId: 1, _id: 1 } }, // page, ofStream, find
    { key: { streamId: 1, isRegex: 1, term: 1 }, unique: true }, // named
  ],
});

export function blockedTermsIn(db: Db) {
  const terms = blockedTermsCollection.in(db);
  return {
    page: (streamId: string, range: Range) => pageIn(terms, { streamId }, { _id: 1 }, range),
    /** All terms of a room, at most a thousand, ordered by id. */
    ofStream: (streamId: string) => terms.find({ streamId }).sort({ _id: 1 }).toArray(),
    find: (streamId: string, id: number, session: ClientSession) =>
      terms.findOne({ streamId, _id: id }, { session }),
    named: (
      streamId: string,
      { isRegex, term }: Pick<BlockedTermDoc, "isRegex" | "term">,
      session: ClientSession,
    ) => terms.findOne({ streamId, isRegex, term }, { session }),

    /** How many terms a room has, and the number and total size of its regexes. */
    async totals(streamId: string, session: ClientSession) {
      const regexes = { $sum: { $cond: ["$isRegex", 1, 0] } };
      const counted = { count: { $sum: 1 }, regexes, size: { $sum: "$size" } };
      const [totals] = await terms
        .aggregate<{ count: number; regexes: number; size: number }>(
          [{ $match: { streamId } }, { $group: { _id: null, ...counted } }],
          { session },
        )
        .toArray();
      return totals ?? { count: 0, regexes: 0, size: 0 };
    },

    insert: async (doc: BlockedTermDoc, session: ClientSession): Promise<void> =>
      void (await terms.insertOne(doc, { session })),
    replace: async (doc: BlockedTermDoc, session: ClientSession): Promise<void> =>
      void (await terms.replaceOne({ _id: doc._id }, doc, { session })),
    delete: async (streamId: string, id: number, session: ClientSession): Promise<BlockedTermDoc | null> =>
      terms.findOneAndDelete({ streamId, _id: id }, { session }),
  };
}

export type BlockedTerms = ReturnType<typeof blockedTermsIn>;
