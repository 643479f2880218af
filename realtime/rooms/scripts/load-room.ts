import type { Redis } from "ioredis";
import { newId } from "../../../base/ids.ts";
import { type Position, positionOfId, streamIdOf } from "../../../base/room-position.ts";
import type { HiddenUser } from "../../../store/mongo/chat/chat-hidden.ts";
import type { DeletedMessage } from "../../../store/mongo/chat/chat-messages.ts";
import { onRedis } from "../../../store/redis/connect.ts";
import { keys } from "../../../store/redis/keys.ts";
import { fieldsOf, scriptAt } from "../../../store/redis/scripts/script.ts";
import type { EffectiveModes } from "../state/modes.ts";
import { banField, hiddenField, packModes, readEpoch, roleField } from "../state/state-hash.ts";

const script = scriptAt(new URL("./load-room.lua", import.meta.url));

/** As in admit.lua: what hides messages outlives the log. */
const STATE_SECONDS = 90_060;
/** TTL of prepared state, in case the load isn't finished. */
const PREPARED_SECONDS = 60;

type RoomState = {
  modes: EffectiveModes;
  /** StreamDoc.chatVersion, read before everything else here. */
  chatVersion: number;
  /** StreamDoc.chatConfigVersion, from the same read. */
  configVersion: number;
  /** False while the owner's account is banned or deleted. */
  /** Null: the owner's account is active. */
  closedUntilMs: number | null;
  roles: readonly { userId: string; role: string }[];
  /** The position up to which chat was cleared. */
  cleared: Position | null;
  /** The new epoch: nobody else has taken it, and it isn't less than `leastEpoch`. */
  epoch: number;
};

/** As many as a room keeps, see publish.lua. */
export const DELETED_REMEMBERED = 20_000;

/** `untilMs` 0 is permanent. */
type LoadedBan = { userId: string; untilMs: number };

/**
 * Loads a room's state to the server. Bans and hidden users are first written to a separate key in pages, so that no command
 * takes long, however many there are; they take effect together with the rest.
 */
export function loadingRoom(redis: Redis, streamId: string) {
  const prepared = keys.roomLoading(streamId, newId());
  let fieldsPrepared = 0;

  async function prepare(fields: readonly string[]): Promise<void> {
    const [added] = await onRedis(() =>
      Promise.all([redis.hset(prepared, ...fields), redis.expire(prepared, PREPARED_SECONDS)]),
    );
    // A ban that changed while the pages were read may come twice; HSET counts it once.
    fieldsPrepared += added;
  }

  return {
    /** The server's time, or more if needed to exceed every epoch that the server knows of the room. Throws unavailable. */
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
    /** The first position in the room's log; null for an empty one. Throws unavailable. */
    async logStart(): Promise<Position | null> {
      const [oldest] = await onRedis(() => redis.xrange(keys.roomLog(streamId), "-", "+", "COUNT", 1));
      return positionOfId(oldest?.[0]);
    },
    /** Throws unavailable. */
    addBans: (page: readonly LoadedBan[]) =>
      prepare(page.flatMap(({ userId, untilMs }) => [banField(userId), String(untilMs)])),
    /** The positions up to which users are hidden. Throws unavailable. */
    addHidden: (page: readonly HiddenUser[]) =>
      prepare(page.flatMap(({ userId, upTo }) => [hiddenField(userId), streamIdOf(upTo)])),
    /** Takes effect at once, since a deletion is final whichever worker loads the room. Throws unavailable. */
    async addDeleted(page: readonly DeletedMessage[]): Promise<void> {
      const key = keys.roomDeleted(streamId);
      const scored = page.flatMap(({ uuid, deletedAt }) => [deletedAt.getTime(), uuid]);
      await onRedis(() => Promise.all([redis.zadd(key, ...scored), redis.expire(key, STATE_SECONDS)]));
    },
    /**
     * Safe to call by many workers at once: the first one's state stays. False when the server has lost some of the bans in the
     * meantime, or knows a later epoch; then nothing has changed. Throws unavailable.
     */
    async finish(runId: string, state: RoomState): Promise<boolean> {
      const { modes, closedUntilMs, chatVersion, configVersion, roles, cleared, epoch } = state;
      const [result] = fieldsOf(
        await script(
          redis,
          [keys.roomState(streamId), keys.roomLog(streamId), prepared],
          [
            ...[runId, packModes(modes), String(chatVersion), String(fieldsPrepared)],
            ...[cleared ? streamIdOf(cleared) : "", String(epoch), String(configVersion)],
            ...(closedUntilMs === null ? [] : ["closed", String(closedUntilMs)]),
            ...roles.flatMap(({ userId, role }) => [roleField(userId), role]),
          ],
        ),
      );
      return result === "ok";
    },
  };
}

export type LoadingRoom = ReturnType<typeof loadingRoom>;
