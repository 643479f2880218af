import type { Redis } from "ioredis";
import { newId } from "../../ids.ts";
import type { ChatPlace } from "../../mongo/chat-messages.ts";
import { onRedis } from "../connect.ts";
import { keys } from "../keys.ts";
import { fieldsOf, scriptAt } from "./script.ts";

const script = scriptAt(new URL("./load-room.lua", import.meta.url));

/** What wasn't finished by then is forgotten. */
const PREPARED_SECONDS = 60;

export type RoomState = {
  /** Packed, see realtime/rooms/modes.ts. */
  modes: string;
  /** StreamDoc.chatVersion, read before everything else here. */
  chatVersion: number;
  roles: readonly { userId: string; role: string }[];
  /** Up to where chat was cleared. */
  cleared: ChatPlace | null;
  /** The newest epoch that is known elsewhere; the one that begins is greater. */
  lastEpoch: number;
};

/** `untilMs` 0 is for good. */
export type LoadedBan = { userId: string; untilMs: number };

/**
 * A room's state on its way to the server. Bans are put beside it in pages, so that no command takes long however many
 * there are, and come into force with the rest of it.
 */
export function loadingRoom(redis: Redis, streamId: string) {
  const prepared = keys.roomLoading(streamId, newId());
  let bans = 0;
  return {
    /** Throws unavailable. */
    async addBans(page: readonly LoadedBan[]): Promise<void> {
      const fields = page.flatMap(({ userId, untilMs }) => [`b:${userId}`, String(untilMs)]);
      const [added] = await onRedis(() =>
        Promise.all([redis.hset(prepared, ...fields), redis.expire(prepared, PREPARED_SECONDS)]),
      );
      // One that changed while it was read may come twice.
      bans += added;
    },
    /**
     * Safe to do by many workers at once: the first one's state stays. False when the server has lost some of the bans
     * meanwhile; then nothing has changed. Throws unavailable.
     */
    async finish(runId: string, state: RoomState): Promise<boolean> {
      const { modes, chatVersion, roles, cleared, lastEpoch } = state;
      const [result] = fieldsOf(
        await script(
          redis,
          [keys.roomState(streamId), keys.roomLog(streamId), prepared],
          [
            ...[runId, modes, String(chatVersion), String(bans)],
            ...[cleared ? `${cleared.epoch}-${cleared.seq}` : "", String(lastEpoch + 1)],
            ...roles.flatMap(({ userId, role }) => [`r:${userId}`, role]),
          ],
        ),
      );
      return result === "ok";
    },
  };
}
