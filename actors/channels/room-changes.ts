/**
 * Changes of a channel that its room must be notified of (decision 0001):
 * 1. one transaction increments the stream's `chatVersion`, writes the change and puts the room events, with their effects on
 *    the room's state, into the outbox;
 * 2. after the commit the events are published, in version order;
 * 3. the relay publishes what a crashed process or an unavailable Redis left unpublished.
 */
import type { ClientSession } from "mongodb";
import { ServiceError } from "../../contract/errors.ts";
import type { StreamDoc, Streams } from "../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../store/mongo/driver/transaction.ts";
import { outboxIn } from "../../store/mongo/host/outbox.ts";
import type { Outbox } from "../host/outbox.ts";
import type { OutboxRow, RoomRow, UserRow } from "../host/outbox-draft.ts";

export type RoomChange = {
  /** Fields of the stream to change in the same transaction. */
  set?: Partial<Pick<StreamDoc, EditableField>>;
  /** Events for the room, each with the changes to apply to the room's hot state before it. */
  events: RoomRow[];
  /** Events for single users, published after the room's. */
  toUsers?: UserRow[];
  /** The change affects how texts are checked: texts checked before it are no longer admitted. Needs at least one event. */
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
  | "takesUnbanRequests"
  | "pin"
  | "updatedAt";

/**
 * Only the first step, in the caller's transaction: a channel's own, or the commit of an actor whose effect changes a
 * channel and passes the rows on (`OutboxDraft.include`). `write` gets the stream as it is inside the transaction; a
 * ServiceError thrown by it rolls everything back. Throws `not_found` for an unknown stream.
 */
export async function changeRoom(
  { streamId, streams, session }: { streamId: string; streams: Streams; session: ClientSession },
  write: (stream: StreamDoc, session: ClientSession) => Promise<RoomChange>,
): Promise<{ stream: StreamDoc; version: number; rows: OutboxRow[] }> {
  // First of all: this write makes two concurrent changes of one channel conflict, so that they run one after the other.
  const before = await streams.update(streamId, { $inc: { chatVersion: 1 } }, session);
  if (!before) throw new ServiceError("not_found");
  const { set: fields, events, toUsers = [], changesConfig = false } = await write(before, session);
  const configVersion = (before.chatConfigVersion ?? 0) + 1;
  const set = changesConfig ? { ...fields, chatConfigVersion: configVersion } : fields;
  const forRoom = changesConfig ? withConfig(events, configVersion) : events;
  const version = before.chatVersion;
  const own = { actor: channelSource(streamId), version };
  const rows: OutboxRow[] = [
    ...forRoom.map((event, n) => ({ ...own, n, target: { room: streamId }, ...event })),
    ...toUsers.map(({ userId, ...event }, i) => ({
      ...own,
      n: forRoom.length + i,
      target: { user: userId },
      ...event,
    })),
  ];
  const at = set?.updatedAt;
  // Without `thumbnailAt` it was a picture that the owner had chosen.
  if (set?.thumbnailUrl === null && before.thumbnailUrl !== null && before.thumbnailAt && at)
    await streams.removePictures(streamId, at, session);
  const stream = (set && (await streams.update(streamId, { $set: set }, session))) ?? before;
  return { stream, version, rows };
}

function withConfig([first, ...rest]: RoomRow[], version: number): RoomRow[] {
  if (!first) throw new Error("the room would never be notified of its configuration");
  return [{ ...first, effects: [...(first.effects ?? []), { kind: "config", version }] }, ...rest];
}

/** The source of every change of a channel, not only of moderation's: the prefix stays, since stored rows carry it. */
export const channelSource = (streamId: string) => `moderation:${streamId}`;

export function createRoomChanges(deps: {
  mongo: Pick<Mongo, "client" | "db">;
  streams: Streams;
  outbox: Pick<Outbox, "write" | "publish">;
}) {
  const { mongo, streams, outbox } = deps;
  const rows = outboxIn(mongo.db);

  async function publish(actor: string, version: number): Promise<boolean> {
    await outbox.publish(actor);
    // `publish` also resolves when it had to leave rows to the relay.
    const [left] = await rows.unsentOf(actor);
    return !left || left.version > version;
  }

  return {
    /**
     * `write` gets the stream as it is inside the transaction and may run several times; a ServiceError thrown by it rolls
     * everything back. `published` is false when the room couldn't be notified yet: the relay will do it. Throws `not_found`
     * for an unknown stream.
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
      return { stream, published: await publish(channelSource(streamId), version) };
    },
  };
}

export type RoomChanges = ReturnType<typeof createRoomChanges>;
