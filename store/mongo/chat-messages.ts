import type { AnyBulkWriteOperation, Db, Filter, IndexDescription } from "mongodb";

/** An admitted message, `_id` being its uuid. (epoch, seq) is its place in the room's log. */
export type ChatMessageDoc = {
  _id: string;
  streamId: string;
  epoch: number;
  seq: number;
  userId: string;
  username: string;
  roomId: number;
  content: string;
  replyToId: string | null;
  replyToUser: string | null;
  sentAt: Date;
  /** Kept with its text for reports; nobody is shown the text any more. */
  deletedAt: Date | null;
};

/** `from` and `at` bound what is touched: nothing before the one, nothing after the other. */
export type ArchiveChange =
  | { kind: "message"; doc: ChatMessageDoc }
  | { kind: "delete"; uuid: string }
  | { kind: "deleteOfUser"; streamId: string; userId: string; from: Place; at: Place }
  | { kind: "clear"; streamId: string; from: Place; at: Place };

type Place = { epoch: number; seq: number };

export const chatMessageIndexes = [
  { key: { streamId: 1, epoch: -1, seq: -1 } }, // pageBefore, pageBetween, clear
  { key: { streamId: 1, userId: 1, epoch: -1, seq: -1 } }, // deleteOfUser
] satisfies IndexDescription[];

const before = ({ epoch, seq }: Place): Filter<ChatMessageDoc> => ({
  $or: [{ epoch: { $lt: epoch } }, { epoch, seq: { $lt: seq } }],
});
const after = ({ epoch, seq }: Place): Filter<ChatMessageDoc> => ({
  $or: [{ epoch: { $gt: epoch } }, { epoch, seq: { $gt: seq } }],
});

export function chatMessagesIn(db: Db) {
  const messages = db.collection<ChatMessageDoc>("chat_messages");
  return {
    /**
     * Writes changes in their order. Running it again with the same changes changes nothing: a message is
     * inserted only once, and a deletion never comes undone.
     */
    async archive(changes: readonly ArchiveChange[], now: Date): Promise<void> {
      if (changes.length === 0) return;
      await messages.bulkWrite(
        changes.map((change) => writeOf(change, now)),
        { ordered: true },
      );
    },
    find: (streamId: string, uuid: string) => messages.findOne({ _id: uuid, streamId }),
    /** At most `limit` before that place, newest first; without a place the newest of all. */
    pageBefore: (streamId: string, place: Place | null, limit: number) =>
      messages
        .find({ streamId, ...(place ? before(place) : {}) })
        .sort({ epoch: -1, seq: -1 })
        .limit(limit)
        .toArray(),
    /** At most `limit` after one place and before the other, oldest first. */
    pageBetween: (streamId: string, from: Place, to: Place | null, limit: number) =>
      messages
        .find({ $and: [{ streamId }, after(from), ...(to ? [before(to)] : [])] })
        .sort({ epoch: 1, seq: 1 })
        .limit(limit)
        .toArray(),
  };
}

function writeOf(change: ArchiveChange, deletedAt: Date): AnyBulkWriteOperation<ChatMessageDoc> {
  switch (change.kind) {
    case "message": {
      const { _id, ...fields } = change.doc;
      return { updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true } };
    }
    case "delete":
      return {
        updateOne: { filter: { _id: change.uuid, deletedAt: null }, update: { $set: { deletedAt } } },
      };
    case "deleteOfUser":
    case "clear": {
      const { streamId, from, at } = change;
      const of = change.kind === "clear" ? {} : { userId: change.userId };
      return {
        updateMany: {
          filter: { $and: [{ streamId, ...of, deletedAt: null }, after(from), before(at)] },
          update: { $set: { deletedAt } },
        },
      };
    }
  }
}

export type ChatMessages = ReturnType<typeof chatMessagesIn>;
