import {
  type AnyBulkWriteOperation,
  type ClientSession,
  type Db,
  type Filter,
  MongoServerError,
} from "mongodb";
import type { ChatMessage } from "../../specs/contract/wire.ts";
import type { Position } from "../room-position.ts";
import { byIds } from "./bulk.ts";
import { defineCollection } from "./collection.ts";
import { ERASED_NAME } from "./personal.ts";

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
  /** Of the text, and of the author then; absent in messages from before there were any. */
  emotes?: ChatMessage["emotes"];
  badges?: string[];
  sentAt: Date;
  /** Kept with its text for reports; nobody is shown the text any more. */
  deletedAt: Date | null;
};

/** `from` and `at` bound what is touched: nothing before the one, nothing after the other. */
export type ArchiveChange =
  | { kind: "message"; doc: ChatMessageDoc }
  | { kind: "delete"; uuid: string }
  | { kind: "deleteOfUser"; streamId: string; userId: string; from: Position; at: Position }
  | { kind: "clear"; streamId: string; from: Position; at: Position };

export type DeletedMessage = { uuid: string; deletedAt: Date };

/** A message as it is kept, shown to everybody. */
export function chatMessageDoc(
  streamId: string,
  { epoch, seq }: Position,
  message: ChatMessage,
): ChatMessageDoc {
  return {
    _id: message.uuid,
    ...{ streamId, epoch, seq },
    userId: message.user_id,
    username: message.username,
    roomId: message.room_id,
    content: message.content,
    replyToId: message.reply_to_id,
    replyToUser: message.reply_to_user,
    emotes: message.emotes,
    badges: message.badges,
    sentAt: new Date(message.timestamp),
    deletedAt: null,
  };
}

type Unwritable = { change: ArchiveChange; err: unknown };

/** BadValue, a document's form or size, a bad field. */
const REFUSED_FOR_GOOD = new Set<unknown>([2, 9, 14, 52, 56, 121, 10334, 17419, 17420]);

/** True when it is the write that is wrong; everything else may go well another time. */
function isUnwritable(err: unknown): boolean {
  if (err instanceof MongoServerError) return REFUSED_FOR_GOOD.has(err.code);
  // What the driver says of a document that it can't put into words, or that is longer than 16 MB.
  return err instanceof RangeError || (err instanceof Error && /BSON|maximum size/.test(err.message));
}

export const chatMessagesCollection = defineCollection<ChatMessageDoc>("chat_messages", {
  personal: {
    // What was said stays, as said by nobody in particular.
    erase: {
      replyToUser: { holds: "username", does: "anonymise" },
      userId: { does: "anonymise", sets: { username: ERASED_NAME } },
      username: { with: "userId" },
    },
    exports: [{ by: "userId", shows: ["streamId", "content", "replyToId", "sentAt", "deletedAt"] }],
  },

  indexes: [
    { key: { userId: 1 } }, // export and erasure
    { key: { replyToUser: 1 }, partialFilterExpression: { replyToUser: { $gte: "" } } }, // erasure

    { key: { streamId: 1, epoch: -1, seq: -1 } }, // pageBefore, pageBetween, newestEpoch, clear
    { key: { streamId: 1, userId: 1, epoch: -1, seq: -1 } }, // deleteOfUser
    {
      key: { streamId: 1, epoch: 1, seq: 1 },
      partialFilterExpression: { deletedAt: { $type: "date" } },
    }, // deletedAfter
  ],
});

const before = ({ epoch, seq }: Position): Filter<ChatMessageDoc> => ({
  $or: [{ epoch: { $lt: epoch } }, { epoch, seq: { $lt: seq } }],
});
const after = ({ epoch, seq }: Position): Filter<ChatMessageDoc> => ({
  $or: [{ epoch: { $gt: epoch } }, { epoch, seq: { $gt: seq } }],
});

export function chatMessagesIn(db: Db) {
  const messages = chatMessagesCollection.in(db);
  return {
    /** Whether a user has a message in the room's archive, deleted or not. */
    hasSpoken: async (streamId: string, userId: string) =>
      (await messages.countDocuments({ streamId, userId }, { limit: 1 })) > 0,

    /** Deletes what that user has said in a room up to a position. */
    deleteUpTo: async (streamId: string, userId: string, { epoch, seq }: Position, deletedAt: Date) =>
      void (await messages.updateMany(
        { $and: [{ streamId, userId, deletedAt: null }, before({ epoch, seq: seq + 1 })] },
        { $set: { deletedAt } },
      )),

    /** By room the last message before then that is of that user, or answers one of those names. */
    lastNaming: (userId: string, names: readonly string[], before: Date) =>
      messages.aggregate<{ streamId: string; last: Position }>([
        { $match: { $or: [{ userId }, { replyToUser: { $in: [...names] } }], sentAt: { $lt: before } } },
        // Compared field by field, in this order.
        { $group: { _id: "$streamId", last: { $max: { epoch: "$epoch", seq: "$seq" } } } },
        { $project: { _id: 0, streamId: "$_id", last: 1 } },
      ]),

    /**
     * Writes changes in their order. Running it again with the same changes changes nothing: a message is
     * inserted only once, and a deletion never comes undone. Resolves with those that no server would ever take.
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
      // One spoils the whole batch: each by itself.
      const left: Unwritable[] = [];
      for (const change of changes) {
        try {
          await write([change]);
        } catch (err) {
          if (!isUnwritable(err)) throw err;
          left.push({ change, err });
        }
      }
      return left;
    },
    /**
     * Deletes a message that was shown until now. One that isn't archived yet is put there with it, so that whatever
     * becomes of its room's log it doesn't appear again: archiving it later changes nothing.
     */
    async delete({ _id, ...fields }: ChatMessageDoc, deletedAt: Date, session: ClientSession): Promise<void> {
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
    /** Which of them are deleted. */
    async deletedAmong(uuids: readonly string[]): Promise<Set<string>> {
      const found = messages.find({ _id: { $in: [...uuids] }, deletedAt: { $ne: null } });
      return new Set((await found.project<{ _id: string }>({ _id: 1 }).toArray()).map(({ _id }) => _id));
    },
    /** Deleted ones after that place, at most `limit`, newest first; at most `size` at once. */
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
    /** Whatever room it was said in. */
    findAnywhere: (uuid: string) => messages.findOne({ _id: uuid }),
    findMany: (uuids: string[]) => byIds(messages, uuids),
    find: (streamId: string, uuid: string) => messages.findOne({ _id: uuid, streamId }),
    /** Of all of the room's messages; 0 when it has none. */
    newestEpoch: async (streamId: string): Promise<number> =>
      (await messages.findOne({ streamId }, { sort: { epoch: -1, seq: -1 }, projection: { epoch: 1 } }))
        ?.epoch ?? 0,
    /** At most `limit` before that place, newest first; without a place the newest of all. */
    pageBefore: (streamId: string, place: Position | null, limit: number) =>
      messages
        .find({ streamId, ...(place ? before(place) : {}) })
        .sort({ epoch: -1, seq: -1 })
        .limit(limit)
        .toArray(),
    /** At most `limit` after one place and before the other, oldest first. */
    pageBetween: (streamId: string, from: Position, to: Position | null, limit: number) =>
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
