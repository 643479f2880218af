import type { ClientSession, Db } from "mongodb";
import { defineCollection } from "../driver/collection.ts";
import { pageIn, type Range } from "../driver/page.ts";

/** A whisper; `seq` counts those of its conversation from 1. The conversation records whether it was read. */
export type WhisperDoc = {
  _id: number;
  conversationId: string;
  seq: number;
  senderId: string;
  recipientId: string;
  content: string;
  createdAt: Date;
};

/** One participant's unread count, and the position up to which everything was read. */
type Unread = { count: number; readUpTo: number };

/** A conversation of two users, `_id` being "a:b" with the smaller id first: one document serialises the writes of both. */
export type ConversationDoc = {
  _id: string;
  users: [first: string, second: string];
  seq: number;
  first: Unread;
  second: Unread;
  last: Pick<WhisperDoc, "seq" | "senderId" | "content">;
  lastAt: Date;
  /** Those who have blocked the other. */
  hiddenFor: string[];
};

export const whispersCollection = defineCollection<WhisperDoc>("whispers", {
  personal: {
    erase: { senderId: "delete", recipientId: "delete", conversationId: { with: "senderId" } },
    exports: [
      { as: "whispers_sent", by: "senderId", shows: ["recipientId", "content", "createdAt"] },
      { as: "whispers_received", by: "recipientId", shows: ["senderId", "content", "createdAt"] },
    ],
  },

  indexes: [
    { key: { conversationId: 1, seq: -1 }, unique: true }, // page
    { key: { senderId: 1 } }, // erasure, export
    { key: { recipientId: 1 } }, // erasure, export
  ],
});

export const conversationsCollection = defineCollection<ConversationDoc>("whisper_conversations", {
  personal: {
    erase: {
      users: "delete",
      _id: { with: "users" },
      "last.senderId": { with: "users" },
      hiddenFor: { with: "users" },
    },
    exports: { nothing: "made of the whispers" },
  },

  indexes: [{ key: { users: 1, lastAt: -1, _id: 1 } }], // page
});

function conversationIdOf(one: string, other: string): string {
  return one < other ? `${one}:${other}` : `${other}:${one}`;
}

/** The user's side of a conversation. */
export const sideOf = ({ users: [first] }: Pick<ConversationDoc, "users">, userId: string) =>
  userId === first ? "first" : "second";

export function whispersIn(db: Db) {
  const whispers = whispersCollection.in(db);
  const conversations = conversationsCollection.in(db);

  return {
    find: (one: string, other: string, session?: ClientSession) =>
      conversations.findOne({ _id: conversationIdOf(one, other) }, session ? { session } : {}),

    /** Appends to the conversation, or starts it. Of two concurrent first whispers one causes a duplicate key. */
    async add(
      { id, senderId, recipientId, content, at }: WhisperDraft,
      session: ClientSession,
    ): Promise<WhisperDoc> {
      const _id = conversationIdOf(senderId, recipientId);
      const users: ConversationDoc["users"] =
        senderId < recipientId ? [senderId, recipientId] : [recipientId, senderId];
      const theirs = sideOf({ users }, recipientId);
      const mine = sideOf({ users }, senderId);
      const before = await conversations.findOneAndUpdate(
        { _id },
        {
          $setOnInsert: {
            users,
            hiddenFor: [],
            [`${theirs}.readUpTo`]: 0,
            [mine]: { count: 0, readUpTo: 0 },
          },
          $inc: { seq: 1, [`${theirs}.count`]: 1 },
          $set: { lastAt: at, "last.senderId": senderId, "last.content": content },
        },
        { upsert: true, session, returnDocument: "before" },
      );
      const seq = (before?.seq ?? 0) + 1;
      await conversations.updateOne({ _id }, { $set: { "last.seq": seq } }, { session });
      const doc = { _id: id, conversationId: _id, seq, senderId, recipientId, content, createdAt: at };
      await whispers.insertOne(doc, { session });
      return doc;
    },

    sent: (id: number, session: ClientSession) => whispers.findOne({ _id: id }, { session }),

    /** Marks everything that the other has written so far as read. */
    async read(readerId: string, otherId: string): Promise<void> {
      const _id = conversationIdOf(readerId, otherId);
      const side = readerId < otherId ? "first" : "second";
      await conversations.updateOne({ _id }, [{ $set: { [side]: { count: 0, readUpTo: "$seq" } } }]);
    },

    /** Hides the conversation in the blocker's inbox; `unhide` shows it again. */
    async hide(blockerId: string, otherId: string, session: ClientSession): Promise<void> {
      const _id = conversationIdOf(blockerId, otherId);
      await conversations.updateOne({ _id }, { $addToSet: { hiddenFor: blockerId } }, { session });
    },
    async unhide(blockerId: string, otherId: string, session: ClientSession): Promise<void> {
      const _id = conversationIdOf(blockerId, otherId);
      await conversations.updateOne({ _id }, { $pull: { hiddenFor: blockerId } }, { session });
    },

    /** A user's conversations, newest whisper first. */
    inboxOf: (userId: string, range: Range) =>
      pageIn(conversations, { users: userId, hiddenFor: { $ne: userId } }, { lastAt: -1, _id: 1 }, range),
    /** Whispers of two users, newest first. */
    pageOf: (one: string, other: string, range: Range) =>
      pageIn(whispers, { conversationId: conversationIdOf(one, other) }, { seq: -1 }, range),
  };
}

export type WhisperDraft = {
  id: number;
  senderId: string;
  recipientId: string;
  content: string;
  at: Date;
};
