import {
  type AnyBulkWriteOperation,
  type Db,
  type Filter,
  type IndexDescription,
  MongoServerError,
} from "mongodb";

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
  | { kind: "deleteOfUser"; streamId: string; userId: string; from: ChatPlace; at: ChatPlace }
  | { kind: "clear"; streamId: string; from: ChatPlace; at: ChatPlace };

/** In a room's log. Of one room, what is later has the greater epoch, or the same and the greater seq. */
export type ChatPlace = { epoch: number; seq: number };

type Unwritable = { change: ArchiveChange; err: unknown };

/** BadValue, a document's form or size, a bad field. */
const REFUSED_FOR_GOOD = new Set<unknown>([2, 9, 14, 52, 56, 121, 10334, 17419, 17420]);

/** True when it is the write that is wrong; everything else may go well another time. */
function isUnwritable(err: unknown): boolean {
  if (err instanceof MongoServerError) return REFUSED_FOR_GOOD.has(err.code);
  // What the driver says of a document that it can't put into words, or that is longer than 16 MB.
  return err instanceof RangeError || (err instanceof Error && /BSON|maximum size/.test(err.message));
}

export const chatMessageIndexes = [
  { key: { streamId: 1, epoch: -1, seq: -1 } }, // pageBefore, pageBetween, newestEpoch, clear
  { key: { streamId: 1, userId: 1, epoch: -1, seq: -1 } }, // deleteOfUser
] satisfies IndexDescription[];

const before = ({ epoch, seq }: ChatPlace): Filter<ChatMessageDoc> => ({
  $or: [{ epoch: { $lt: epoch } }, { epoch, seq: { $lt: seq } }],
});
const after = ({ epoch, seq }: ChatPlace): Filter<ChatMessageDoc> => ({
  $or: [{ epoch: { $gt: epoch } }, { epoch, seq: { $gt: seq } }],
});

export function chatMessagesIn(db: Db) {
  const messages = db.collection<ChatMessageDoc>("chat_messages");
  return {
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
    find: (streamId: string, uuid: string) => messages.findOne({ _id: uuid, streamId }),
    /** Of all of the room's messages; 0 when it has none. */
    newestEpoch: async (streamId: string): Promise<number> =>
      (await messages.findOne({ streamId }, { sort: { epoch: -1, seq: -1 }, projection: { epoch: 1 } }))
        ?.epoch ?? 0,
    /** At most `limit` before that place, newest first; without a place the newest of all. */
    pageBefore: (streamId: string, place: ChatPlace | null, limit: number) =>
      messages
        .find({ streamId, ...(place ? before(place) : {}) })
        .sort({ epoch: -1, seq: -1 })
        .limit(limit)
        .toArray(),
    /** At most `limit` after one place and before the other, oldest first. */
    pageBetween: (streamId: string, from: ChatPlace, to: ChatPlace | null, limit: number) =>
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
