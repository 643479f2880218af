import type { Db } from "mongodb";
import { isBefore, type Position } from "../../../base/room-position.ts";
import { reportCasesCollection } from "../safety/reports.ts";
import { chatMessagesCollection } from "./chat-messages.ts";

type DeletedText = { _id: string; streamId: string; epoch: number; seq: number };

/** The archive's texts of deleted messages. */
export function deletedTextsIn(db: Db) {
  const messages = chatMessagesCollection.in(db);
  const cases = reportCasesCollection.in(db);
  return {
    /** At most `limit` messages that were deleted before then and still have a text, longest deleted first, in batches of `size`. */
    async *before(
      then: Date,
      { limit, size }: { limit: number; size: number },
    ): AsyncGenerator<DeletedText[]> {
      const found = messages
        .find({ content: { $gt: "" }, deletedAt: { $type: "date", $lt: then } }, { batchSize: size })
        .sort({ deletedAt: 1 })
        .limit(limit)
        .project<DeletedText>({ streamId: 1, epoch: 1, seq: 1 });
      try {
        while (await found.hasNext()) yield found.readBufferedDocuments(size);
      } finally {
        await found.close();
      }
    },

    /** Those of the messages that an undecided case of reports names, or one that was decided since then. */
    async reportedAmong(ids: string[], since: Date): Promise<Set<string>> {
      const found = cases.find({
        targetId: { $in: ids },
        targetType: "chat_message",
        $or: [{ isOpen: true }, { decidedAt: { $gt: since } }],
      });
      return new Set(
        (await found.project<{ targetId: string }>({ _id: 0, targetId: 1 }).toArray()).map(
          ({ targetId }) => targetId,
        ),
      );
    },

    /** What can be read out of the positions of emotes goes with the text. Resolves with the number of changed messages. */
    async remove(ids: string[]): Promise<number> {
      const change = { $set: { content: "" }, $unset: { emotes: "" as const } };
      return (await messages.updateMany({ _id: { $in: ids } }, change)).modifiedCount;
    },
  };
}

/** The newest position of each stream among these messages. */
export function newestByStream(texts: readonly DeletedText[]): Map<string, Position> {
  const newest = new Map<string, Position>();
  for (const { streamId, epoch, seq } of texts) {
    const known = newest.get(streamId);
    if (!known || isBefore(known, { epoch, seq })) newest.set(streamId, { epoch, seq });
  }
  return newest;
}
