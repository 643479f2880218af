import { setTimeout as pause } from "node:timers/promises";
import { CONTENDERS, type ContenderName } from "../contenders.ts";
import { startLoad } from "../load-generator.ts";
import { residentBytes } from "../processes.ts";
import type { Stage } from "../stage.ts";

/** Sockets that come first, so that pools and code paths have their size before anything is counted. */
const FIRST = 500;
const SETTLES_WITHIN_MS = 700;

/** Resident memory that one more idle socket takes, bytes: of all server processes, after a collection each time. */
export async function bytesPerIdleSocket(
  stage: Stage,
  name: ContenderName,
  sockets: number,
): Promise<number> {
  const scene = { rooms: 1, viewersEach: FIRST + sockets, senders: 0 };
  const served = await CONTENDERS[name].open(stage, scene, { measured: true });
  try {
    const load = await startLoad(served.setting);
    try {
      const { servers } = served.setting.pids;
      const viewers = await served.viewers();
      await load.connect(viewers.slice(0, FIRST), []);
      const before = await settled(servers);
      await load.connect(viewers.slice(FIRST), []);
      return ((await settled(servers)) - before) / sockets;
    } finally {
      await load.close();
    }
  } finally {
    await served.close();
  }
}

/** Twice: what the first collection finalises the second one frees. */
async function settled(pids: readonly number[]): Promise<number> {
  for (let i = 0; i < 2; i++) {
    for (const pid of pids) process.kill(pid, "SIGUSR2");
    await pause(SETTLES_WITHIN_MS);
  }
  return residentBytes(pids);
}
