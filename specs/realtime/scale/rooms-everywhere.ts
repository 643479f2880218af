import { SHARDS, shardOf } from "../../../store/redis/keys.ts";
import type { Room } from "../../stress/checker/load-scenario.ts";
import type { Store } from "./store.ts";

/**
 * Chooses channels so that rooms are spread over as many shards as possible, the first two on different servers if there are
 * several.
 */
export async function spread({ serverOf }: Store): Promise<(streamId: string) => boolean> {
  const servers = await Promise.all([...Array(SHARDS).keys()].map(serverOf));
  const most = new Set(servers).size;
  const taken = new Set<number>();
  const used = new Set<number | undefined>();
  return (streamId) => {
    const shard = shardOf(streamId);
    const isNew = taken.size < SHARDS ? !taken.has(shard) : true;
    if (!isNew || (used.size < Math.min(2, most) && used.has(servers[shard]))) return false;
    taken.add(shard);
    used.add(servers[shard]);
    return true;
  };
}

/** The rooms on the same server as `one`, and the others. */
export async function apart(
  { serverOf }: Store,
  rooms: readonly Room[],
  one: Room,
): Promise<[on: Room[], elsewhere: Room[]]> {
  const at = async ({ record }: Room) => serverOf(shardOf(record.streamId));
  const lost = await at(one);
  const servers = await Promise.all(rooms.map(at));
  return [rooms.filter((_room, i) => servers[i] === lost), rooms.filter((_room, i) => servers[i] !== lost)];
}
