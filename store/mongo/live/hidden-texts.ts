import type { Db } from "mongodb";
import type { Position } from "../../../base/room-position.ts";
import { streamsCollection } from "../channels/streams.ts";
import { chatHiddenCollection } from "../chat/chat-hidden.ts";
import { chatMessagesCollection } from "../chat/chat-messages.ts";

/**
 * What a position hides in a room: messages of a user who was banned there or, null, of everybody, by a clear. Those up to
 * `markedUpTo` are marked as deleted already.
 */
type HiddenRange = {
  _id: string;
  streamId: string;
  userId: string | null;
  upTo: Position;
  markedUpTo?: Position;
};

type RangeMessage = { _id: string; epoch: number; seq: number; deletedAt: Date | null };

/** Ranges per read: a cursor over all would end by itself while the messages of one are being marked. */
const RANGES_AT_ONCE = 100;
/** Before every message. */
const BEGINNING: Position = { epoch: -1, seq: -1 };

async function* paged(pageAfter: (id: string) => Promise<HiddenRange[]>): AsyncGenerator<HiddenRange> {
  let last: HiddenRange | undefined;
  do {
    const page = await pageAfter(last?._id ?? "");
    yield* page;
    last = page.length < RANGES_AT_ONCE ? undefined : page.at(-1);
  } while (last);
}

/**
 * Messages that are hidden by a position. Those that the room's log had when they were hidden are marked as deleted, too; these are
 * the older ones.
 */
export function hiddenTextsIn(db: Db) {
  const messages = chatMessagesCollection.in(db);
  const bans = chatHiddenCollection.in(db);
  const streams = streamsCollection.in(db);

  const unmarkedBans = (after: string): Promise<HiddenRange[]> =>
    bans
      .find({ _id: { $gt: after }, $expr: { $ne: ["$upTo", "$markedUpTo"] } })
      .sort({ _id: 1 })
      .limit(RANGES_AT_ONCE)
      .toArray();
  const unmarkedClears = (after: string): Promise<HiddenRange[]> =>
    streams
      .find({
        _id: { $gt: after },
        chatCleared: { $type: "object" },
        $expr: { $ne: ["$chatCleared", "$chatClearedMarked"] },
      })
      .sort({ _id: 1 })
      .limit(RANGES_AT_ONCE)
      .project<HiddenRange>({
        streamId: "$_id",
        userId: { $literal: null },
        upTo: "$chatCleared",
        markedUpTo: "$chatClearedMarked",
      })
      .toArray();

  return {
    /** Those whose messages aren't all marked yet. Scans both collections. */
    async *unmarked(): AsyncGenerator<HiddenRange> {
      yield* paged(unmarkedBans);
      yield* paged(unmarkedClears);
    },

    /** At most `limit` of its messages after that position, oldest first, deleted or not. */
    messagesOf({ streamId, userId, upTo }: HiddenRange, from: Position | undefined, limit: number) {
      const of = userId === null ? { streamId } : { streamId, userId };
      const { epoch, seq } = from ?? BEGINNING;
      return messages
        .find(
          {},
          {
            // A filter by both fields would read the whole room: its bounds in an index are those of one field. In this index
            // the newest come first.
            hint: { streamId: 1, ...(userId === null ? {} : { userId: 1 }), epoch: -1, seq: -1 },
            min: { ...of, epoch: upTo.epoch, seq: upTo.seq },
            max: { ...of, epoch, seq },
          },
        )
        .sort({ epoch: 1, seq: 1 })
        .limit(limit)
        .project<RangeMessage>({ epoch: 1, seq: 1, deletedAt: 1 })
        .toArray();
    },

    mark: async (ids: string[], deletedAt: Date) =>
      void (await messages.updateMany({ _id: { $in: ids }, deletedAt: null }, { $set: { deletedAt } })),

    /** All its messages up to there are marked; a later ban or clear goes on from there. */
    async markedUpTo({ streamId, userId }: HiddenRange, position: Position): Promise<void> {
      if (userId === null)
        await streams.updateOne({ _id: streamId }, { $set: { chatClearedMarked: position } });
      else await bans.updateOne({ streamId, userId }, { $set: { markedUpTo: position } });
    },
  };
}
