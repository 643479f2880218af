import { HOUR_MS } from "../../../base/durations.ts";
import { onRedis } from "../connect.ts";
import { keys, type Owner } from "../keys.ts";
import type { RedisConnection } from "../nodes.ts";
import { fieldsOf, scriptAt } from "./script.ts";

const takeScript = scriptAt(new URL("./take-socket.lua", import.meta.url));
const keepScript = scriptAt(new URL("./keep-sockets.lua", import.meta.url));

/** TTL; a live worker renews its counts long before, and those of dead workers expire with the key. */
const TTL_MS = HOUR_MS;

type TakeSocket = {
  owner: Owner;
  worker: string;
  /** How many sockets of this owner the worker has, including the new one. */
  mine: number;
  /** Limit over all workers. */
  most: number;
  /** Null: upgrades aren't counted. */
  upgrades: { most: number; windowMs: number } | null;
  /** Workers whose sockets are gone. */
  dead: readonly string[];
};

export type SocketTaken = {
  refusal: "upgrades" | "sockets" | null;
  upgrades: number;
  upgradesLeftMs: number;
  /** Workers with sockets of this owner, when the limit is reached or there are many of them; else empty. */
  workers: string[];
};

/** Counts a socket, or refuses it. Throws unavailable: whether it is counted is then unknown. */
export async function takeSocket(redis: RedisConnection, take: TakeSocket): Promise<SocketTaken> {
  const { owner, worker, mine, most, upgrades, dead } = take;
  const [refusal = "", count, leftMs, ...workers] = fieldsOf(
    await takeScript(
      redis,
      [keys.socketsOf(owner), keys.upgradesOf(owner)],
      [
        worker,
        String(mine),
        String(most),
        String(TTL_MS),
        upgrades === null ? "" : String(upgrades.most),
        String(upgrades?.windowMs ?? 0),
        ...dead,
      ],
    ),
  );
  return {
    refusal: refusal === "upgrades" || refusal === "sockets" ? refusal : null,
    upgrades: Number(count),
    upgradesLeftMs: Number(leftMs),
    workers,
  };
}

/** Sets how many sockets of `owner` a worker has; idempotent. Throws unavailable. */
export async function keepSockets(
  redis: RedisConnection,
  owner: Owner,
  worker: string,
  count: number,
): Promise<void> {
  if (count === 0) await onRedis(() => redis.hdel(keys.socketsOf(owner), worker));
  else await keepScript(redis, [keys.socketsOf(owner)], [worker, String(count), String(TTL_MS)]);
}
