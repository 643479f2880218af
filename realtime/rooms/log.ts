import type { ChatMessages } from "../../store/mongo/chat-messages.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { ServerRuns } from "../../store/redis/server-run.ts";
import type { Hiding } from "./hiding.ts";
import { isUpTo, type Position, type RoomEvent } from "./types.ts";

/**
 * Reading a room's log: a stream with ids `<epoch>-<seq>`, so that a position is an id and replay one range.
 * What was deleted, cleared, or written by someone banned since then comes out without its text.
 */
export function createLog(deps: {
  redis: RedisConnection;
  runs: ServerRuns;
  archive: Pick<ChatMessages, "deletedAmong">;
  hiding: Hiding;
}) {
  const { redis, runs, archive, hiding } = deps;

  async function range(
    streamId: string,
    from: string,
    to: string,
    count: number,
    newestFirst: boolean,
  ): Promise<RoomEvent[]> {
    const key = keys.roomLog(streamId);
    const raw: unknown = await onRedis(() =>
      newestFirst
        ? redis.xrevrangeBuffer(key, to, from, "COUNT", count)
        : redis.xrangeBuffer(key, from, to, "COUNT", count),
    );
    return redact(streamId, eventsIn(raw));
  }

  /** Deletions are read after the events: what is deleted in between is told by a later event as well. */
  async function redact(streamId: string, events: RoomEvent[]): Promise<RoomEvent[]> {
    const chats = events.flatMap((event) => (event.chat ? [{ ...event, chat: event.chat }] : []));
    if (chats.length === 0) return events;
    const uuids = chats.map(({ chat }) => chat.uuid);
    const users = [...new Set(chats.map(({ chat }) => chat.userId))];
    const [deleted, [run, cleared, ...hidden]] = await onRedis(() =>
      Promise.all([
        redis.zmscore(keys.roomDeleted(streamId), ...uuids),
        redis.hmget(keys.roomState(streamId), "run", "cleared", ...users.map((userId) => `h:${userId}`)),
      ]),
    );
    const here = positionIn(cleared);
    // What another server knew may be older than the last deletion; with the next load it isn't any more.
    const isLoaded = run === (await runs.current(keys.roomState(streamId))).id;
    const [isHiddenThere, deletedThere] = isLoaded
      ? [() => false, new Set<string>()]
      : await Promise.all([hiding(streamId, users), archive.deletedAmong(uuids)]);
    const deletedUuids = new Set(uuids.filter((_uuid, i) => (deleted[i] ?? null) !== null));
    const hiddenUsers = new Map(users.map((userId, i) => [userId, positionIn(hidden[i])]));
    return events.map((event) => {
      if (!event.chat) return event;
      const { uuid, userId } = event.chat;
      const isHidden =
        deletedUuids.has(uuid) ||
        deletedThere.has(uuid) ||
        [here, hiddenUsers.get(userId) ?? null].some((place) => isUpTo(event, place)) ||
        isHiddenThere({ epoch: event.epoch, seq: event.seq, userId });
      return isHidden ? withoutText(event) : event;
    });
  }

  return {
    /** At most `count` events after a position, oldest first. */
    after(streamId: string, position: Position, count: number): Promise<RoomEvent[]> {
      return range(streamId, `(${idOf(position)}`, "+", count, false);
    },
    /** At most `count` events before a position (null: from the end), newest first. */
    before(streamId: string, position: Position | null, count: number): Promise<RoomEvent[]> {
      return range(streamId, "-", position ? `(${idOf(position)}` : "+", count, true);
    },
    /** A message that the log has; null for any other, which the archive may have. */
    async find(streamId: string, uuid: string): Promise<RoomEvent | null> {
      const key = keys.roomPlaces(streamId);
      const id = await onRedis(() => redis.hget(key, uuid));
      // Its other fields aren't named by uuids, and are no places.
      if (id === null || !PLACE.test(id)) return null;
      const [event] = await range(streamId, id, id, 1, false);
      return event?.chat?.uuid === uuid ? event : null;
    },
    async has(streamId: string, position: Position): Promise<boolean> {
      const id = idOf(position);
      return (await onRedis(() => redis.xrange(keys.roomLog(streamId), id, id, "COUNT", 1))).length === 1;
    },
  };
}

const PLACE = /^\d+-\d+$/;

export type RoomLog = ReturnType<typeof createLog>;

function idOf({ epoch, seq }: Position): string {
  return `${epoch}-${seq}`;
}

export function positionOfId(id: string): Position {
  const [epoch, seq] = id.split("-");
  return { epoch: Number(epoch), seq: Number(seq) };
}

const positionIn = (id: string | null | undefined): Position | null => (id ? positionOfId(id) : null);

/** Stream entries as ioredis hands them over in buffers: [id, [field, value, …]]. */
export function entriesIn(raw: unknown): { id: string; fields: Buffer[] }[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((entry: unknown) => {
    if (!Array.isArray(entry)) throw new Error("Redis answered an entry of another form.");
    const [id, fields]: unknown[] = entry;
    if (!Buffer.isBuffer(id) || !Array.isArray(fields)) {
      throw new Error("Redis answered an entry of another form.");
    }
    return { id: id.toString(), fields: fields.filter(Buffer.isBuffer) };
  });
}

function eventsIn(raw: unknown): RoomEvent[] {
  return entriesIn(raw).map(({ id, fields: [, payload, , uuid, , userId] }) => ({
    ...positionOfId(id),
    payload: payload ?? Buffer.alloc(0),
    chat: uuid && userId ? { uuid: uuid.toString(), userId: userId.toString() } : null,
  }));
}

/** A chat message's event as it is shown once deleted. */
export function withoutText(event: RoomEvent): RoomEvent {
  const message: { data: object } = JSON.parse(event.payload.toString());
  const data = { ...message.data, content: "", is_deleted: true };
  return { ...event, payload: Buffer.from(JSON.stringify({ ...message, data })) };
}
