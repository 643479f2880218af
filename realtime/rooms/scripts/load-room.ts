import type { Redis } from "ioredis";
import { newId } from "../../../store/ids.ts";
import type { HiddenUser } from "../../../store/mongo/chat-hidden.ts";
import type { DeletedMessage } from "../../../store/mongo/chat-messages.ts";
import { onRedis } from "../../../store/redis/connect.ts";
import { keys } from "../../../store/redis/keys.ts";
import { fieldsOf, scriptAt } from "../../../store/redis/scripts/script.ts";
import { type Position, positionOfId, streamIdOf } from "../../../store/room-position.ts";
import type { EffectiveModes } from "../state/modes.ts";
import { banField, hiddenField, packModes, readEpoch, roleField } from "../state/state-hash.ts";

const script = scriptAt(new URL("./load-room.lua", import.meta.url));

/** As in admit.lua: what hides messages outlives the log. */
const STATE_SECONDS = 90_060;
/** What wasn't finished by then is forgotten. */
const PREPARED_SECONDS = 60;

export type RoomState = {
  modes: EffectiveModes;
  /** StreamDoc.chatVersion, read before everything else here. */
  chatVersion: number;
  /** StreamDoc.chatConfigVersion, of the same reading. */
  configVersion: number;
  roles: readonly { userId: string; role: string }[];
  /** Up to where chat was cleared. */
  cleared: Position | null;
  /** The one that begins: nobody else has taken it, and it isn't less than `leastEpoch`. */
  epoch: number;
};

/** As many as a room remembers, see publish.lua. */
export const DELETED_REMEMBERED = 20_000;

/** `untilMs` 0 is for good. */
export type LoadedBan = { userId: string; untilMs: number };

/**
 * A room's state on its way to the server. Bans and hidden users are put beside it in pages, so that no command takes long however many
 * there are, and come into force with the rest of it.
 */
export function loadingRoom(redis: Redis, streamId: string) {
  const prepared = keys.roomLoading(streamId, newId());
  let fieldsPrepared = 0;

  async function prepare(fields: readonly string[]): Promise<void> {
    const [added] = await onRedis(() =>
      Promise.all([redis.hset(prepared, ...fields), redis.expire(prepared, PREPARED_SECONDS)]),
    );
    // One that changed while it was read may come twice.
    fieldsPrepared += added;
  }

  return {
    /** The server's time, and greater than every epoch that the server knows of the room. Throws unavailable. */
    async leastEpoch(): Promise<number> {
      const [last, [[seconds, micros], [newest]]] = await Promise.all([
        readEpoch(redis, streamId),
        onRedis(() =>
          Promise.all([redis.time(), redis.xrevrange(keys.roomLog(streamId), "+", "-", "COUNT", 1)]),
        ),
      ]);
      const nowMs = Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
      return Math.max(nowMs, last + 1, (positionOfId(newest?.[0])?.epoch ?? 0) + 1);
    },
    /** Where the room's log begins; null for an empty one. Throws unavailable. */
    async logStart(): Promise<Position | null> {
      const [oldest] = await onRedis(() => redis.xrange(keys.roomLog(streamId), "-", "+", "COUNT", 1));
      return positionOfId(oldest?.[0]);
    },
    /** Throws unavailable. */
    addBans: (page: readonly LoadedBan[]) =>
      prepare(page.flatMap(({ userId, untilMs }) => [banField(userId), String(untilMs)])),
    /** Up to where users are hidden. Throws unavailable. */
    addHidden: (page: readonly HiddenUser[]) =>
      prepare(page.flatMap(({ userId, upTo }) => [hiddenField(userId), streamIdOf(upTo)])),
    /** At once, since what was deleted stays so whichever worker loads the room. Throws unavailable. */
    async addDeleted(page: readonly DeletedMessage[]): Promise<void> {
      const key = keys.roomDeleted(streamId);
      const scored = page.flatMap(({ uuid, deletedAt }) => [deletedAt.getTime(), uuid]);
      await onRedis(() => Promise.all([redis.zadd(key, ...scored), redis.expire(key, STATE_SECONDS)]));
    },
    /**
     * Safe to do by many workers at once: the first one's state stays. False when the server has lost some of the bans
     * meanwhile, or knows of a later epoch; then nothing has changed. Throws unavailable.
     */
    async finish(runId: string, state: RoomState): Promise<boolean> {
      const { modes, chatVersion, configVersion, roles, cleared, epoch } = state;
      const [result] = fieldsOf(
        await script(
          redis,
          [keys.roomState(streamId), keys.roomLog(streamId), prepared],
          [
            ...[runId, packModes(modes), String(chatVersion), String(fieldsPrepared)],
            ...[cleared ? streamIdOf(cleared) : "", String(epoch), String(configVersion)],
            ...roles.flatMap(({ userId, role }) => [roleField(userId), role]),
          ],
        ),
      );
      return result === "ok";
    },
  };
}

export type LoadingRoom = ReturnType<typeof loadingRoom>;
