import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** What a moderator noted about a user of a room, for the room's moderators. It never changes. */
export type MemberNoteDoc = {
  /** In the order of time. */
  _id: string;
  streamId: string;
  /** Whom it is about. */
  userId: string;
  authorId: string;
  text: string;
  createdAt: Date;
};

export const memberNotesCollection = defineCollection<MemberNoteDoc>("member_notes", {
  personal: {
    erase: {
      streamId: { holds: "stream", does: "delete" },
      userId: "delete",
      authorId: "anonymise",
    },
    exports: [{ by: "authorId", shows: ["streamId", "userId", "text", "createdAt"] }],
  },

  indexes: [
    { key: { streamId: 1, userId: 1, _id: -1 } }, // page, count
    { key: { userId: 1 } }, // erasure
    { key: { authorId: 1 } }, // export and erasure
  ],
});

export function memberNotesIn(db: Db) {
  const notes = memberNotesCollection.in(db);
  return {
    page: (streamId: string, userId: string, range: Range) =>
      pageIn(notes, { streamId, userId }, { _id: -1 }, range),
    count: (streamId: string, userId: string, session: ClientSession) =>
      notes.countDocuments({ streamId, userId }, { session }),
    find: (streamId: string, userId: string, id: string, session: ClientSession) =>
      notes.findOne({ _id: id, streamId, userId }, { session }),
    insert: async (doc: MemberNoteDoc, session: ClientSession): Promise<void> =>
      void (await notes.insertOne(doc, { session })),
    delete: async (id: string, session: ClientSession): Promise<void> =>
      void (await notes.deleteOne({ _id: id }, { session })),
  };
}
