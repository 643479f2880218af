import type { Redis } from "ioredis";
import { MINUTE_MS } from "../../../base/durations.ts";
import { type Position, positionOfId } from "../../../base/room-position.ts";
import { onRedis } from "../../../store/redis/connect.ts";
import { keys } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import type { EffectiveModes } from "./modes.ts";

export type RoomRole = "owner" | "moderator" | "vip";

/**
 * The fields of a room's admission state, a hash that the scripts write as well:
 *
 * - run: run_id of the server that it was loaded on; epoch, seq: the room's head; modes: see `packModes`;
 * - r:<user> role; b:<user> ban or timeout (0 = permanent, else until, ms);
 * - closed: until when a ban or deletion of the owner's account closes the room by itself, ms (`CLOSED_MS`);
 * - cleared, h:<user>: `<epoch>-<seq>` up to which all messages, or that user's, are hidden;
 * - loaded_at, renewed, swept, sources_swept: used by the scripts only.
 */
/**
 * How long a ban or deletion of its owner's account closes a room by itself. Facts about senders say the same, and are looked
 * up anew within two minutes: after that, a room whose owner a worker of another release has let back opens again.
 */
export const CLOSED_MS = 5 * MINUTE_MS;
export const roleField = (userId: string) => `r:${userId}`;
export const banField = (userId: string) => `b:${userId}`;
export const hiddenField = (userId: string) => `h:${userId}`;
/** What admission knows of a room, and of one of its users. */
type StoredState = {
  run: string;
  position: Position;
  modes: EffectiveModes;
  role: RoomRole | null;
  /** 0: permanent; else when a timeout ends or has ended, ms. */
  bannedUntilMs: number | null;
};

/** `userId` null: without a user. Null when the state is missing. Throws unavailable. */
export async function readState(
  redis: RedisConnection,
  streamId: string,
  userId: string | null,
): Promise<StoredState | null> {
  const ofUser = userId === null ? [] : [roleField(userId), banField(userId)];
  const [run, epoch, seq, modes, role, ban] = await onRedis(() =>
    redis.hmget(keys.roomState(streamId), "run", "epoch", "seq", "modes", ...ofUser),
  );
  if (!run || !epoch || !seq || !modes) return null;
  return {
    run,
    position: { epoch: Number(epoch), seq: Number(seq) },
    modes: unpackModes(modes),
    role: role === "owner" || role === "moderator" || role === "vip" ? role : null,
    bannedUntilMs: ban ? Number(ban) : null,
  };
}

/** 0 when there is no state. Throws unavailable. */
export async function readEpoch(redis: Redis, streamId: string): Promise<number> {
  return Number((await onRedis(() => redis.hget(keys.roomState(streamId), "epoch"))) ?? 0);
}

/** The positions up to which messages are hidden; `run` is null when the state is missing. Throws unavailable. */
export async function readHidden(redis: RedisConnection, streamId: string, userIds: readonly string[]) {
  const [run, cleared, ...hidden] = await onRedis(() =>
    redis.hmget(keys.roomState(streamId), "run", "cleared", ...userIds.map(hiddenField)),
  );
  return {
    run: run ?? null,
    cleared: positionOfId(cleared),
    ofUser: new Map(userIds.map((userId, i) => [userId, positionOfId(hidden[i])])),
  };
}

/** Six integers, -1 for null. */
export function packModes(modes: EffectiveModes): string {
  const flag = (on: boolean) => (on ? 1 : 0);
  return [
    flag(modes.enabled),
    modes.slow ?? -1,
    modes.followers ?? -1,
    flag(modes.emote),
    flag(modes.unique),
    flag(modes.shield),
  ].join(" ");
}

function unpackModes(packed: string): EffectiveModes {
  const [enabled, slow, followers, emote, unique, shield] = packed.split(" ").map(Number);
  const orNull = (value: number | undefined) => (value === undefined || value < 0 ? null : value);
  return {
    enabled: enabled === 1,
    slow: orNull(slow),
    followers: orNull(followers),
    emote: emote === 1,
    unique: unique === 1,
    shield: shield === 1,
  };
}
