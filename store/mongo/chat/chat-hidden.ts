import type { Db } from "mongodb";
import type { Position } from "../../../base/room-position.ts";
import { defineCollection } from "../driver/collection.ts";

/**
 * The position up to which a user's messages in a room are hidden, since they were banned there; `_id` is "stream:user". It
 * stays when the ban is lifted.
 */
type ChatHiddenDoc = {
  _id: string;
  streamId: string;
  userId: string;
  upTo: Position;
  /** Up to where all messages are marked as deleted, too (jobs/chat/deleted-texts); absent until the first time. */
  markedUpTo?: Position;
};

export type HiddenUser = Pick<ChatHiddenDoc, "userId" | "upTo">;

export const chatHiddenCollection = defineCollection<ChatHiddenDoc>("chat_hidden", {
  personal: {
    erase: { userId: "delete", _id: { with: "userId" }, streamId: { holds: "stream", does: "delete" } },
    exports: { nothing: "it says which of the messages, all of which are exported, are hidden" },
  },

  indexes: [{ key: { streamId: 1, upTo: 1 } }],
}); // reaching

const idOf = (streamId: string, userId: string) => `${streamId}:${userId}`;

export function chatHiddenIn(db: Db) {
  const hidden = chatHiddenCollection.in(db);
  return {
    /** By user; users without a hidden position are left out. */
    async upTo(streamId: string, userIds: readonly string[]): Promise<Map<string, Position>> {
      const ids = userIds.map((userId) => idOf(streamId, userId));
      const docs = await hidden.find({ _id: { $in: ids } }).toArray();
      return new Map(docs.map(({ userId, upTo }) => [userId, upTo]));
    },
    /** Monotonic: the later position wins. */
    async raise(streamId: string, userId: string, { epoch, seq }: Position): Promise<void> {
      await hidden.updateOne(
        { _id: idOf(streamId, userId) },
        // MongoDB compares documents field by field, in this order.
        { $max: { upTo: { epoch, seq } }, $setOnInsert: { streamId, userId } },
        { upsert: true },
      );
    },
    /** All of that user, over all rooms; a collection scan. */
    ofUser: (userId: string) =>
      hidden.find({ userId }).project<Pick<ChatHiddenDoc, "streamId" | "upTo">>({ streamId: 1, upTo: 1 }),
    /** Users with a hidden position at `from` or later, in pages of at most `size`. */
    async *reaching(streamId: string, { epoch, seq }: Position, size: number): AsyncGenerator<HiddenUser[]> {
      const found = hidden
        .find({ streamId, upTo: { $gte: { epoch, seq } } }, { batchSize: size })
        .project<HiddenUser>({ _id: 0, userId: 1, upTo: 1 });
      try {
        while (await found.hasNext()) yield found.readBufferedDocuments(size);
      } finally {
        await found.close();
      }
    },
  };
}

export type ChatHidden = ReturnType<typeof chatHiddenIn>;
