import { nullIfUnavailable } from "../../base/failures/unavailable.ts";
import { singleFlight } from "../../base/single-flight.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Streams } from "../../store/mongo/channels/streams.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { LookupSlots } from "./lookup-slots.ts";

/** The immutable part of a room. */
export type RoomIdentity = { roomId: number; ownerId: string };

type ReadThrough = (readDatabase: () => Promise<RoomIdentity>) => Promise<RoomIdentity>;

/** Cached rooms that nobody follows on this worker: about 12 MB. */
const MAX_IDLE = 50_000;
/** As long as a room stays in Redis after its last event; each event renews the TTL with the rest of the room's keys. */
const SHARED_SECONDS = 25 * 3_600;

/**
 * Cached room identities: those of rooms that somebody on this worker follows, and the most recently used others. On a
 * miss another worker may have put the identity into Redis already, so that rooms in use don't load MongoDB from every worker.
 */
export function createIdentities(deps: {
  redis: RedisConnection;
  streams: Pick<Streams, "find">;
  slots: Pick<LookupSlots, "run">;
  mostIdle?: number;
}) {
  const { redis, streams, slots, mostIdle = MAX_IDLE } = deps;
  const followed = new Map<string, { times: number; identity: RoomIdentity | null }>();
  /** Least recently used first. */
  const idle = new Map<string, RoomIdentity>();
  // Single flights; both are bounded by the number of waiting requests.
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
    const stream = await slots.run(() => streams.find(streamId));
    if (!stream) throw new ServiceError("not_found");
    const identity = { roomId: stream.roomId, ownerId: stream.userId };
    await writeShared(redis, streamId, identity);
    return identity;
  }

  return {
    /** Throws not_found. `around` decides whether and when MongoDB is read when neither the cache nor Redis has the room. */
    async of(
      streamId: string,
      around: ReadThrough = (readDatabase) => readDatabase(),
    ): Promise<RoomIdentity> {
      const known = find(streamId);
      if (known) return known;
      const readDatabase = async () =>
        find(streamId) ?? singleFlight(lookingUp, streamId, () => lookUp(streamId));
      const shared = await singleFlight(reading, streamId, () => readShared(redis, streamId));
      const identity = shared ?? (await around(readDatabase));
      remember(streamId, identity);
      return identity;
    },
    /** As far as it is cached. */
    known: find,
    /** True when `of` would answer from the cache. */
    isKnown: (streamId: string) => followed.get(streamId)?.identity != null || idle.has(streamId),
    /** Somebody follows the room; call `release` once for each call. */
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

/** Null when no worker has shared it recently, or while Redis is unavailable; MongoDB has it then. */
async function readShared(redis: RedisConnection, streamId: string): Promise<RoomIdentity | null> {
  const text = await nullIfUnavailable(() => redis.get(keys.roomIdentity(streamId)));
  const [roomId, ownerId] = text?.split(" ") ?? [];
  return roomId && ownerId ? { roomId: Number(roomId), ownerId } : null;
}

/** In the format stored in Redis. */
export const packIdentity = ({ roomId, ownerId }: RoomIdentity): string => `${roomId} ${ownerId}`;

async function writeShared(redis: RedisConnection, streamId: string, identity: RoomIdentity): Promise<void> {
  await nullIfUnavailable(() =>
    redis.set(keys.roomIdentity(streamId), packIdentity(identity), "EX", SHARED_SECONDS),
  );
}
