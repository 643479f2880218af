import { cpuMs } from "../processes.ts";
import type { Cpu, Load, LoadSetting } from "./calls.ts";

type Usage = { atMs: number; cpuMs: Cpu; load: Load };

/** From the call on; ask again as often as needed. */
export function usageSince({ pids }: Pick<LoadSetting, "pids">): () => Usage {
  const now = () => ({
    atMs: performance.now(),
    servers: cpuMs(pids.servers),
    redis: cpuMs(pids.redis),
    own: process.cpuUsage(),
    loop: performance.eventLoopUtilization(),
  });
  const before = now();
  return () => {
    const after = now();
    const own = process.cpuUsage(before.own);
    return {
      atMs: after.atMs - before.atMs,
      cpuMs: { servers: after.servers - before.servers, redis: after.redis - before.redis },
      load: {
        cpuMs: (own.user + own.system) / 1_000,
        utilisation: performance.eventLoopUtilization(after.loop, before.loop).utilization,
      },
    };
  };
}
