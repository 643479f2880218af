import {
  type AnyBulkWriteOperation,
  type ClientSession,
  type Db,
  type Filter,
  MongoServerError,
} from "mongodb";
import type { Position } from "../../../base/room-position.ts";
import type { ChatMessage } from "../../../contract/wire.ts";
import { byIds } from "../driver/bulk.ts";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";
import { ERASED_NAME } from "../driver/personal.ts";
import { actTextsIn } from "./act-texts.ts";

/** Messages that look different: sent as `/me …`, and what moderators announce. */
const SHOWN_AS = ["action", "announcement"] as const;
export type ShownAs = (typeof SHOWN_AS)[number];

const isShownAs = (type: string): type is ShownAs => SHOWN_AS.some((one) => one === type);

/** An admitted message, `_id` being its uuid. (epoch, seq) is its position in the room's log. */
export type ChatMessageDoc = {
  _id: string;
  streamId: string;
  epoch: number;
  seq: number;
  userId: string;
  username: string;
  roomId: number;
  content: string;
  /** Absent for ordinary messages, and for texts of acts. */
  type?: ShownAs;
  /** Of the text of an act; absent for ordinary messages. */
  act?: ChatMessage["act"];
  replyToId: string | null;
  replyToUser: string | null;
  /** Of the text, and of the author at that time; absent in messages from before these features. */
  emotes?: ChatMessage["emotes"];
  badges?: string[];
  sentAt: Date;
  /** Soft delete: the text is kept for reports, but only shown to staff. After 30 days it is removed (jobs/chat/deleted-texts). */
  deletedAt: Date | null;
};

/** `from` and `at` bound the affected range, both exclusive. */
export type ArchiveChange =
  | { kind: "message"; doc: ChatMessageDoc }
  | { kind: "delete"; uuid: string }
  | { kind: "deleteOfUser"; streamId: string; userId: string; from: Position; at: Position }
  | { kind: "clear"; streamId: string; from: Position; at: Position };

export type DeletedMessage = { uuid: string; deletedAt: Date };

/** A message as it is stored, not deleted. */
export function chatMessageDoc(
  streamId: string,
  { epoch, seq }: Position,
  message: ChatMessage,
): ChatMessageDoc {
  return {
    _id: message.uuid,
    streamId,
    epoch,
    seq,
    userId: message.user_id,
    username: message.username,
    roomId: message.room_id,
    content: message.content,
    ...(isShownAs(message.type) ? { type: message.type } : {}),
    ...(message.act ? { act: message.act } : {}),
    replyToId: message.reply_to_id,
    replyToUser: message.reply_to_user,
    emotes: message.emotes,
    badges: message.badges,
    sentAt: new Date(message.timestamp),
    deletedAt: null,
  };
}

type Unwritable = { change: ArchiveChange; err: unknown };

/** BadValue, and errors about a document's structure, its size or a field. */
const PERMANENT_ERROR_CODES = new Set<unknown>([2, 9, 14, 52, 56, 121, 10334, 17419, 17420]);

/** True when the write itself is invalid; any other error may not recur on a retry. */
function isUnwritable(err: unknown): boolean {
  if (err instanceof MongoServerError) return PERMANENT_ERROR_CODES.has(err.code);
  // The driver's errors for a document that it can't serialise, or that is longer than 16 MB.
  return err instanceof RangeError || (err instanceof Error && /BSON|maximum size/.test(err.message));
}

export const chatMessagesCollection = defineCollection<ChatMessageDoc>("chat_messages", {
  personal: {
    // Messages stay, under an anonymous author.
    erase: {
      replyToUser: { holds: "username", does: "anonymise" },
      userId: { does: "anonymise", sets: { username: ERASED_NAME } },
      username: { with: "userId" },
    },
    exports: [{ by: "userId", shows: ["_id", "streamId", "content", "replyToId", "sentAt", "deletedAt"] }],
  },

  indexes: [
    { key: { userId: 1 } }, // export and erasure
    { key: { replyToUser: 1 }, partialFilterExpression: { replyToUser: { $gte: "" } } }, // erasure

    { key: { streamId: 1, epoch: -1, seq: -1 } }, // pageBefore, pageBetween, newestEpoch, clear
    { key: { streamId: 1, userId: 1, epoch: -1, seq: -1 } }, // deleteOfUser, newestOf, pageOf
    { key: { streamId: 1, sentAt: 1, epoch: 1, seq: 1 } }, // lastSentBefore, which reads nothing else
    {
      key: { streamId: 1, epoch: 1, seq: 1 },
      partialFilterExpression: { deletedAt: { $type: "date" } },
    }, // deletedAfter
    // deletedTextsIn: without the text a message is out of it
    {
      key: { deletedAt: 1 },
      partialFilterExpression: { content: { $gt: "" }, deletedAt: { $type: "date" } },
    },
  ],
});

const positionedBefore = ({ epoch, seq }: Position): Filter<ChatMessageDoc> => ({
  $or: [{ epoch: { $lt: epoch } }, { epoch, seq: { $lt: seq } }],
});
const after = ({ epoch, seq }: Position): Filter<ChatMessageDoc> => ({
  $or: [{ epoch: { $gt: epoch } }, { epoch, seq: { $gt: seq } }],
});

export function chatMessagesIn(db: Db) {
  const messages = chatMessagesCollection.in(db);
  const actTexts = actTextsIn(db);
  return {
    /** Whether a user has a message in the room's archive, deleted or not. */
    hasChatted: async (streamId: string, userId: string) =>
      (await messages.countDocuments({ streamId, userId }, { limit: 1 })) > 0,

    /** Deletes that user's messages in a room up to a position, inclusive. */
    deleteUpTo: async (streamId: string, userId: string, { epoch, seq }: Position, deletedAt: Date) =>
      void (await messages.updateMany(
        { $and: [{ streamId, userId, deletedAt: null }, positionedBefore({ epoch, seq: seq + 1 })] },
        { $set: { deletedAt } },
      )),

    /** For each room the last message before then that is that user's, or a reply to one of those names. */
    lastNaming: (userId: string, names: readonly string[], before: Date) =>
      messages.aggregate<{ streamId: string; last: Position }>([
        { $match: { $or: [{ userId }, { replyToUser: { $in: [...names] } }], sentAt: { $lt: before } } },
        // MongoDB compares documents field by field, in this order.
        { $group: { _id: "$streamId", last: { $max: { epoch: "$epoch", seq: "$seq" } } } },
        { $project: { _id: 0, streamId: "$_id", last: 1 } },
      ]),

    /**
     * Writes changes in order. Idempotent: a message is inserted only once, and a deletion is never undone. Resolves with the
     * changes that can never be written (dead letters).
     */
    async archive(changes: readonly ArchiveChange[], now: Date): Promise<Unwritable[]> {
      const write = (some: readonly ArchiveChange[]) =>
        messages.bulkWrite(
          some.map((change) => writeOf(change, now)),
          { ordered: true },
        );
      try {
        if (changes.length > 0) await write(changes);
        return [];
      } catch (err) {
        if (!isUnwritable(err)) throw err;
      }
      // One invalid change fails the whole batch: write each by itself.
      const rejected: Unwritable[] = [];
      for (const change of changes) {
        try {
          await write([change]);
        } catch (err) {
          if (!isUnwritable(err)) throw err;
          rejected.push({ change, err });
        }
      }
      return rejected;
    },
    /**
     * Deletes a message that wasn't deleted yet. One that isn't archived yet is inserted as deleted, so that it can't reappear
     * whatever happens to the room's log: archiving it later changes nothing. The act that it goes with loses its text, too.
     */
    async delete({ _id, ...fields }: ChatMessageDoc, deletedAt: Date, session: ClientSession): Promise<void> {
      if (fields.act) await actTexts.redact(fields.act, session);
      const { matchedCount } = await messages.updateOne(
        { _id, deletedAt: null },
        { $set: { deletedAt } },
        { session },
      );
      if (matchedCount > 0) return;
      await messages.updateOne(
        { _id },
        { $setOnInsert: { ...fields, deletedAt } },
        { upsert: true, session },
      );
    },
    /** For a message that already counts as deleted: a ban or a clear hides it in the room, and leaves the act its text. */
    async redactAct(
      { act }: { act?: ChatMessage["act"] | undefined },
      session?: ClientSession,
    ): Promise<void> {
      if (act) await actTexts.redact(act, session);
    },
    /** Which of these messages are deleted. */
    async deletedAmong(uuids: readonly string[]): Promise<Set<string>> {
      const found = messages.find({ _id: { $in: [...uuids] }, deletedAt: { $ne: null } });
      return new Set((await found.project<{ _id: string }>({ _id: 1 }).toArray()).map(({ _id }) => _id));
    },
    /** The newest `limit` deleted messages after that position, newest first, in pages of at most `size`. */
    async *deletedAfter(
      streamId: string,
      from: Position,
      { limit, size }: { limit: number; size: number },
    ): AsyncGenerator<DeletedMessage[]> {
      const found = messages
        .find({ $and: [{ streamId, deletedAt: { $type: "date" } }, after(from)] }, { batchSize: size })
        .sort({ epoch: -1, seq: -1 })
        .limit(limit)
        .project<{ _id: string; deletedAt: Date }>({ deletedAt: 1 });
      try {
        while (await found.hasNext()) {
          yield found.readBufferedDocuments(size).map(({ _id, deletedAt }) => ({ uuid: _id, deletedAt }));
        }
      } finally {
        await found.close();
      }
    },
    /** In whatever room it was sent. */
    findAnywhere: (uuid: string) => messages.findOne({ _id: uuid }),
    findMany: (uuids: string[]) => byIds(messages, uuids),
    find: (streamId: string, uuid: string) => messages.findOne({ _id: uuid, streamId }),
    /** The newest epoch among the room's messages; 0 when it has none. */
    newestEpoch: async (streamId: string): Promise<number> =>
      (await messages.findOne({ streamId }, { sort: { epoch: -1, seq: -1 }, projection: { epoch: 1 } }))
        ?.epoch ?? 0,
    /** At most `limit` before that position, newest first; null: the newest of all. */
    pageBefore: (streamId: string, place: Position | null, limit: number) =>
      messages
        .find({ streamId, ...(place ? positionedBefore(place) : {}) })
        .sort({ epoch: -1, seq: -1 })
        .limit(limit)
        .toArray(),
    /** The newest `limit` of one user, newest first. */
    newestOf: (streamId: string, userId: string, limit: number) =>
      messages.find({ streamId, userId }).sort({ epoch: -1, seq: -1 }).limit(limit).toArray(),
    /** All of one user's, newest first. */
    pageOf: (streamId: string, userId: string, range: Range) =>
      pageIn(messages, { streamId, userId }, { epoch: -1, seq: -1 }, range),
    /** The position of the last message that was sent before then; null for none. */
    lastSentBefore: (streamId: string, then: Date): Promise<Position | null> =>
      messages.findOne<Position>(
        { streamId, sentAt: { $lt: then } },
        { sort: { sentAt: -1, epoch: -1, seq: -1 }, projection: { _id: 0, epoch: 1, seq: 1 } },
      ),
    /** At most `limit` after one position and before the other, oldest first. */
    pageBetween: (streamId: string, from: Position, to: Position | null, limit: number) =>
      messages
        .find({ $and: [{ streamId }, after(from), ...(to ? [positionedBefore(to)] : [])] })
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
          filter: { $and: [{ streamId, ...of, deletedAt: null }, after(from), positionedBefore(at)] },
          update: { $set: { deletedAt } },
        },
      };
    }
  }
}

export type ChatMessages = ReturnType<typeof chatMessagesIn>;
