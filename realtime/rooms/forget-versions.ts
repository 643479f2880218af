import type { Redis } from "ioredis";
import { keys } from "../../store/redis/keys.ts";
import { masters, type RedisConnection } from "../../store/redis/nodes.ts";
import { banField } from "./state/state-hash.ts";

const SCANNED = 1_000;
/** A run that no server has, so that whoever uses the state loads it again. */
const NO_RUN = "restored";

const ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const STATE = new RegExp(`^lc:\\{s\\d+\\}:room:(${ID}):state$`);
/** Versions of sources and of configurations, and caches of what the database says. */
const OF_ROOM = new RegExp(
  `^lc:\\{s\\d+\\}:room:${ID}:(actors|config|identity|member:.*|follow:.*|chatted:.*)$`,
);
/** Users' logs carry versions, of balances for example. */
const OF_USER = /^lc:\{u:[^}]+\}:(head|log|seen)$/;

/** Bans and timeouts as a room knows them: `untilMs` 0 is permanent. `version`: of the channel's last change that it was told of. */
export type KnownBans = { streamId: string; version: number; bans: { userId: string; untilMs: number }[] };

/**
 * After the database was restored: forgets versions that it may have lost, since by them Redis would take new events for old
 * ones, and what was cached of it. Rooms keep their logs and what is hidden in them, and begin a new epoch with the next load. Call
 * it while no worker runs. `onBans` gets what each room knows before that is forgotten. Safe to repeat.
 */
export async function forgetVersions(
  redis: RedisConnection,
  onBans: (known: KnownBans) => Promise<void>,
): Promise<void> {
  for (const node of masters(redis)) {
    for await (const found of scan(node)) {
      for (const key of found) {
        const [, streamId] = STATE.exec(key) ?? [];
        if (streamId !== undefined) await outdate(node, streamId, onBans);
      }
    }
    for await (const found of scan(node)) {
      const outdated = found.filter((key) => OF_ROOM.test(key) || OF_USER.test(key));
      // One by one: in a cluster the keys of one node are of different slots.
      await Promise.all(outdated.map((key) => node.unlink(key)));
    }
  }
}

async function outdate(
  node: Redis,
  streamId: string,
  onBans: (known: KnownBans) => Promise<void>,
): Promise<void> {
  const state = keys.roomState(streamId);
  const [run, mark] = await Promise.all([
    node.hget(state, "run"),
    node.hget(keys.roomActors(streamId), `moderation:${streamId}`),
  ]);
  if (run !== NO_RUN) {
    const version = Number(mark?.split(":", 1)[0] ?? 0);
    await onBans({ streamId, version, bans: await bansIn(node, state) });
    await node.hset(state, "run", NO_RUN);
  }
  await node.unlink(keys.roomActors(streamId));
}

async function bansIn(node: Redis, state: string): Promise<KnownBans["bans"]> {
  const prefix = banField("");
  const bans: KnownBans["bans"] = [];
  const fields: AsyncIterable<string[]> = node.hscanStream(state, { match: `${prefix}*`, count: SCANNED });
  for await (const page of fields)
    for (let i = 0; i + 1 < page.length; i += 2)
      bans.push({ userId: String(page[i]).slice(prefix.length), untilMs: Number(page[i + 1]) });
  return bans;
}

function scan(node: Redis): AsyncIterable<string[]> {
  return node.scanStream({ match: "lc:*", count: SCANNED });
}
