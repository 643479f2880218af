import { keys } from "../keys.ts";
import type { RedisConnection } from "../nodes.ts";
import { fieldsOf, scriptAt } from "./script.ts";

const script = scriptAt(new URL("./worker-heartbeat.lua", import.meta.url));

/** Records a worker's heartbeat, or that it leaves. `live` are all workers with a recent heartbeat. Throws unavailable. */
export async function workerHeartbeat(
  redis: RedisConnection,
  { worker, silentMs, leaves }: { worker: string; silentMs: number; leaves: boolean },
): Promise<{ wasKnown: boolean; live: string[] }> {
  const [known, ...live] = fieldsOf(
    await script(redis, [keys.gateways], [worker, String(silentMs), leaves ? "1" : "0"]),
  );
  return { wasKnown: known === "1", live };
}
