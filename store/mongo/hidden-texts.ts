import type { Db } from "mongodb";
import type { Position } from "../room-position.ts";
import { chatHiddenCollection } from "./chat-hidden.ts";
import { chatMessagesCollection, positionedBefore } from "./chat-messages.ts";
import { streamsCollection } from "./streams.ts";

/** What a position hides in a room: messages of a user who was banned there or, null, of everybody, by a clear. */
type HiddenRange = { streamId: string; userId: string | null; upTo: Position };

/**
 * Messages that are hidden by a position. Those that the room's log had when they were hidden are marked as deleted, too; these are
 * the older ones.
 */
export function hiddenTextsIn(db: Db) {
  const messages = chatMessagesCollection.in(db);
  const bans = chatHiddenCollection.in(db);
  const streams = streamsCollection.in(db);
  return {
    /** Those whose messages aren't all marked yet. Scans both collections. */
    async *unmarked(): AsyncGenerator<HiddenRange> {
      for await (const { streamId, userId, upTo } of bans.find({ $expr: { $ne: ["$upTo", "$markedUpTo"] } }))
        yield { streamId, userId, upTo };
      const cleared = streams
        .find({ chatCleared: { $type: "object" }, $expr: { $ne: ["$chatCleared", "$chatClearedMarked"] } })
        .project<{ _id: string; chatCleared: Position }>({ chatCleared: 1 });
      for await (const { _id: streamId, chatCleared: upTo } of cleared)
        yield { streamId, userId: null, upTo };
    },

    /** Ids of at most `limit` of its messages that aren't marked as deleted, in batches of `size`. */
    async *messagesOf(
      { streamId, userId, upTo: { epoch, seq } }: HiddenRange,
      { limit, size }: { limit: number; size: number },
    ): AsyncGenerator<string[]> {
      const found = messages
        .find(
          {
            $and: [
              { streamId, ...(userId === null ? {} : { userId }), deletedAt: null },
              positionedBefore({ epoch, seq: seq + 1 }),
            ],
          },
          { batchSize: size },
        )
        .limit(limit)
        .project<{ _id: string }>({ _id: 1 });
      try {
        while (await found.hasNext()) yield found.readBufferedDocuments(size).map(({ _id }) => _id);
      } finally {
        await found.close();
      }
    },

    mark: async (ids: string[], deletedAt: Date) =>
      void (await messages.updateMany({ _id: { $in: ids }, deletedAt: null }, { $set: { deletedAt } })),

    /** All its messages are marked; a later ban or clear unmarks it by its later position. */
    async allMarked({ streamId, userId, upTo }: HiddenRange): Promise<void> {
      if (userId === null) await streams.updateOne({ _id: streamId }, { $set: { chatClearedMarked: upTo } });
      else await bans.updateOne({ streamId, userId }, { $set: { markedUpTo: upTo } });
    },
  };
}
