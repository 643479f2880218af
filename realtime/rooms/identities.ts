import { ServiceError } from "../../specs/contract/errors.ts";
import { nullIfUnavailable } from "../../store/failures/unavailable.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { once } from "../../store/single-flight.ts";

/** What never changes of a room. */
export type RoomIdentity = { roomId: number; ownerId: string };

export type Around = (readDatabase: () => Promise<RoomIdentity>) => Promise<RoomIdentity>;

/** Of rooms that nobody follows here: about 12 MB. */
const IDLE = 50_000;
/** As long as a room stays in Redis after its last event; each event renews it with the rest of the room. */
const SHARED_SECONDS = 25 * 3_600;

/**
 * Which rooms there are, remembered for as long as somebody on this worker follows them, and of the others those that
 * were used last. What this worker hasn't looked up yet another one may have put into Redis, so that a room in use
 * needs MongoDB at no worker.
 */
export function createIdentities(deps: {
  redis: RedisConnection;
  streams: Pick<Streams, "find">;
  mostIdle?: number;
}) {
  const { redis, streams, mostIdle = IDLE } = deps;
  const followed = new Map<string, { times: number; identity: RoomIdentity | null }>();
  /** The one that was used the longest ago first. */
  const idle = new Map<string, RoomIdentity>();
  // Both bounded by those who wait.
  const reading = new Map<string, Promise<RoomIdentity | null>>();
  const lookingUp = new Map<string, Promise<RoomIdentity>>();

  function find(streamId: string): RoomIdentity | null {
    const held = followed.get(streamId)?.identity;
    if (held) return held;
    const known = idle.get(streamId);
    if (!known) return null;
    idle.delete(streamId);
    idle.set(streamId, known);
    return known;
  }

  function remember(streamId: string, identity: RoomIdentity): void {
    const held = followed.get(streamId);
    if (held) {
      held.identity = identity;
      return;
    }
    const [oldest] = idle.keys();
    if (idle.size >= mostIdle && oldest !== undefined) idle.delete(oldest);
    idle.set(streamId, identity);
  }

  async function lookUp(streamId: string): Promise<RoomIdentity> {
    const stream = await streams.find(streamId);
    if (!stream) throw new ServiceError("not_found");
    const identity = { roomId: stream.roomId, ownerId: stream.userId };
    await writeShared(redis, streamId, identity);
    return identity;
  }

  return {
    /** Throws not_found. `around` decides whether and when MongoDB is read, where nothing else knows the room. */
    async of(streamId: string, around: Around = (readDatabase) => readDatabase()): Promise<RoomIdentity> {
      const known = find(streamId);
      if (known) return known;
      const readDatabase = async () => find(streamId) ?? once(lookingUp, streamId, () => lookUp(streamId));
      const shared = await once(reading, streamId, () => readShared(redis, streamId));
      const identity = shared ?? (await around(readDatabase));
      remember(streamId, identity);
      return identity;
    },
    /** True when `of` needs no look. */
    isKnown: (streamId: string) => followed.get(streamId)?.identity != null || idle.has(streamId),
    /** Somebody follows the room; call `release` once for each time. */
    hold(streamId: string): void {
      const held = followed.get(streamId);
      if (held) {
        held.times++;
        return;
      }
      followed.set(streamId, { times: 1, identity: idle.get(streamId) ?? null });
      idle.delete(streamId);
    },
    release(streamId: string): void {
      const held = followed.get(streamId);
      if (!held || --held.times > 0) return;
      followed.delete(streamId);
      if (held.identity) remember(streamId, held.identity);
    },
  };
}

export type Identities = ReturnType<typeof createIdentities>;

/** Null when no worker has put it there lately; MongoDB has it then, as it has while Redis is unavailable. */
async function readShared(redis: RedisConnection, streamId: string): Promise<RoomIdentity | null> {
  const text = await nullIfUnavailable(() => redis.get(keys.roomIdentity(streamId)));
  const [roomId, ownerId] = text?.split(" ") ?? [];
  return roomId && ownerId ? { roomId: Number(roomId), ownerId } : null;
}

/** As Redis keeps it. */
export const packIdentity = ({ roomId, ownerId }: RoomIdentity): string => `${roomId} ${ownerId}`;

async function writeShared(redis: RedisConnection, streamId: string, identity: RoomIdentity): Promise<void> {
  await nullIfUnavailable(() =>
    redis.set(keys.roomIdentity(streamId), packIdentity(identity), "EX", SHARED_SECONDS),
  );
}
