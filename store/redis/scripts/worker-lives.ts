import { keys } from "../keys.ts";
import type { RedisConnection } from "../nodes.ts";
import { fieldsOf, scriptAt } from "./script.ts";

const script = scriptAt(new URL("./worker-lives.lua", import.meta.url));

/** Says that a worker lives, or that it leaves. `living` are all that do. Throws unavailable. */
export async function workerLives(
  redis: RedisConnection,
  { worker, deadMs, leaves }: { worker: string; deadMs: number; leaves: boolean },
): Promise<{ wasKnown: boolean; living: string[] }> {
  const [known, ...living] = fieldsOf(
    await script(redis, [keys.gateways], [worker, String(deadMs), leaves ? "1" : "0"]),
  );
  return { wasKnown: known === "1", living };
}
