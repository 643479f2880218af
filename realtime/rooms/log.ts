import { isUpTo, type Position, positionOfId, streamIdOf } from "../../base/room-position.ts";
import type { ChatMessages } from "../../store/mongo/chat/chat-messages.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { ServerRuns } from "../../store/redis/server-run.ts";
import { entriesIn, type LoggedEvent, loggedEventIn, withoutText } from "./event.ts";
import type { HiddenFilter } from "./hiding.ts";
import { readHidden } from "./state/state-hash.ts";

/**
 * Reads a room's log: a stream with ids `<epoch>-<seq>`, so that a position is an id and a replay is one range read.
 * Messages that were deleted or cleared, or whose author was banned since, come out without their text.
 */
export function createLog(deps: {
  redis: RedisConnection;
  runs: ServerRuns;
  archive: Pick<ChatMessages, "deletedAmong">;
  hiding: HiddenFilter;
}) {
  const { redis, runs, archive, hiding } = deps;

  async function range(
    streamId: string,
    from: string,
    to: string,
    count: number,
    newestFirst: boolean,
  ): Promise<LoggedEvent[]> {
    const key = keys.roomLog(streamId);
    const raw: unknown = await onRedis(() =>
      newestFirst
        ? redis.xrevrangeBuffer(key, to, from, "COUNT", count)
        : redis.xrangeBuffer(key, from, to, "COUNT", count),
    );
    return redact(streamId, entriesIn(raw).map(loggedEventIn));
  }

  /** Deletions are read after the events: a deletion in between also arrives as a later event. */
  async function redact(streamId: string, events: LoggedEvent[]): Promise<LoggedEvent[]> {
    const chats = events.flatMap((event) => (event.chat ? [{ ...event, chat: event.chat }] : []));
    if (chats.length === 0) return events;
    const uuids = chats.map(({ chat }) => chat.uuid);
    const users = [...new Set(chats.map(({ chat }) => chat.userId))];
    const [deleted, stored] = await Promise.all([
      onRedis(() => redis.zmscore(keys.roomDeleted(streamId), ...uuids)),
      readHidden(redis, streamId, users),
    ]);
    // State that was loaded on another server may miss the latest deletions; the next load brings them.
    const isLoaded = stored.run === (await runs.current(keys.roomState(streamId))).id;
    const [isHiddenInMongo, deletedInMongo] = isLoaded
      ? [() => false, new Set<string>()]
      : await Promise.all([hiding(streamId, users), archive.deletedAmong(uuids)]);
    const deletedUuids = new Set(uuids.filter((_uuid, i) => (deleted[i] ?? null) !== null));
    return events.map((event) => {
      if (!event.chat) return event;
      const { uuid, userId } = event.chat;
      const isHidden =
        deletedUuids.has(uuid) ||
        deletedInMongo.has(uuid) ||
        isUpTo(event, stored.cleared) ||
        isUpTo(event, stored.ofUser.get(userId) ?? null) ||
        isHiddenInMongo({ epoch: event.epoch, seq: event.seq, userId });
      return isHidden ? withoutText(event) : event;
    });
  }

  return {
    /** At most `count` events after a position, oldest first. */
    after(streamId: string, position: Position, count: number): Promise<LoggedEvent[]> {
      return range(streamId, `(${streamIdOf(position)}`, "+", count, false);
    },
    /** At most `count` events before a position (null: from the end), newest first. */
    before(streamId: string, position: Position | null, count: number): Promise<LoggedEvent[]> {
      return range(streamId, "-", position ? `(${streamIdOf(position)}` : "+", count, true);
    },
    /** A message that is in the log; null for any other, which the archive may have. */
    async find(streamId: string, uuid: string): Promise<LoggedEvent | null> {
      const key = keys.roomPositions(streamId);
      const id = await onRedis(() => redis.hget(key, uuid));
      // The hash's other fields aren't uuids, and their values aren't positions.
      if (id === null || !positionOfId(id)) return null;
      const [event] = await range(streamId, id, id, 1, false);
      return event?.chat?.uuid === uuid ? event : null;
    },
    /** Trims events up to a position from which nobody resumes any more: from then on messages are read from the archive. */
    async forgetUpTo(streamId: string, { epoch, seq }: Position): Promise<void> {
      const firstKept = streamIdOf({ epoch, seq: seq + 1 });
      await onRedis(() => redis.xtrim(keys.roomLog(streamId), "MINID", firstKept));
    },
    async has(streamId: string, position: Position): Promise<boolean> {
      const id = streamIdOf(position);
      return (await onRedis(() => redis.xrange(keys.roomLog(streamId), id, id, "COUNT", 1))).length === 1;
    },
  };
}

export type RoomLog = ReturnType<typeof createLog>;
