/**
 * Changes of a channel that its room must be notified of (decision 0001):
 * 1. one transaction raises the stream's `chatVersion`, writes the change and puts the room events, with what
 *    they mean for the room's state, into the outbox;
 * 2. after the commit the events are published, in the order of the version;
 * 3. what a dead process or an absent Redis left unpublished is published by the relay.
 */
import type { ClientSession } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { outboxIn } from "../../store/mongo/outbox.ts";
import type { StreamDoc, Streams } from "../../store/mongo/streams.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import type { Outbox } from "../host/outbox.ts";
import type { OutboxRow, RoomRow, UserRow } from "../host/outbox-draft.ts";

/** An event for the room, and what its hot state has to become before it. */
export type RoomNews = RoomRow;

export type RoomChange = {
  /** Fields of the stream that change along. */
  set?: Partial<Pick<StreamDoc, EditableField>>;
  news: RoomNews[];
  /** What single users are told, after the room. */
  toUsers?: UserRow[];
  /** Changes what texts are checked with: nothing is admitted any more that was checked without it. Needs an event in `news`. */
  changesConfig?: true;
};

type EditableField =
  | "name"
  | "thumbnailUrl"
  | "thumbnailAt"
  | "categoryId"
  | "language"
  | "isMature"
  | "tags"
  | "ingressPullUrl"
  | "modes"
  | "updatedAt";

/**
 * The first step by itself, in whatever transaction: a channel's own, or the commit of an actor whose effect changes a
 * channel and hands the rows on (`OutboxDraft.include`). `write` is given the stream as it is inside the transaction;
 * a ServiceError in it undoes everything. Throws `not_found` without such a stream.
 */
export async function changeRoom(
  { streamId, streams, session }: { streamId: string; streams: Streams; session: ClientSession },
  write: (stream: StreamDoc, session: ClientSession) => Promise<RoomChange>,
): Promise<{ stream: StreamDoc; version: number; rows: OutboxRow[] }> {
  // Before all else: two changes of one channel take turns at this document.
  const before = await streams.update(streamId, { $inc: { chatVersion: 1 } }, session);
  if (!before) throw new ServiceError("not_found");
  const { set: fields, news: events, toUsers = [], changesConfig = false } = await write(before, session);
  const configVersion = (before.chatConfigVersion ?? 0) + 1;
  const set = changesConfig ? { ...fields, chatConfigVersion: configVersion } : fields;
  const news = changesConfig ? withConfig(events, configVersion) : events;
  const version = before.chatVersion;
  const own = { actor: sourceOf(streamId), version };
  const rows: OutboxRow[] = [
    ...news.map((event, n) => ({ ...own, n, target: { room: streamId }, ...event })),
    ...toUsers.map(({ userId, ...event }, i) => ({
      ...own,
      n: news.length + i,
      target: { user: userId },
      ...event,
    })),
  ];
  const stream = (set && (await streams.update(streamId, { $set: set }, session))) ?? before;
  return { stream, version, rows };
}

function withConfig([first, ...rest]: RoomNews[], version: number): RoomNews[] {
  if (!first) throw new Error("the room would never be notified of its configuration");
  return [{ ...first, effects: [...(first.effects ?? []), { kind: "config", version }] }, ...rest];
}

const sourceOf = (streamId: string) => `moderation:${streamId}`;

export function createRoomChanges(deps: {
  mongo: Pick<Mongo, "client" | "db">;
  streams: Streams;
  outbox: Pick<Outbox, "write" | "publish">;
}) {
  const { mongo, streams, outbox } = deps;
  const rows = outboxIn(mongo.db);

  async function publish(actor: string, version: number): Promise<boolean> {
    await outbox.publish(actor);
    // `publish` resolves as well when it had to leave rows to the relay.
    const [left] = await rows.unsentOf(actor);
    return !left || left.version > version;
  }

  return {
    /**
     * `write` is given the stream as it is inside the transaction and may run several times; a ServiceError in
     * it undoes everything. `published` is false when the room couldn't be notified yet: the relay does it.
     * Throws `not_found` without such a stream.
     */
    async commit(
      streamId: string,
      write: (stream: StreamDoc, session: ClientSession) => Promise<RoomChange>,
    ): Promise<{ stream: StreamDoc; published: boolean }> {
      const { stream, version } = await inTransaction(mongo.client, async (session) => {
        const changed = await changeRoom({ streamId, streams, session }, write);
        await outbox.write(changed.rows, session);
        return changed;
      });
      return { stream, published: await publish(sourceOf(streamId), version) };
    },
  };
}

export type RoomChanges = ReturnType<typeof createRoomChanges>;
