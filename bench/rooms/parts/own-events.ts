import { WebSocket } from "ws";
import { createUserEvents } from "../../../realtime/rooms/user-events.ts";
import { percentile } from "../../../specs/stress/percentile.ts";
import { quietLog } from "../../../specs/support/quiet-log.ts";
import { DIALECTS } from "../dialects.ts";
import { startLoad } from "../load-generator.ts";
import { openOurs } from "../ours.ts";
import { cpuMs } from "../processes.ts";
import type { Stage } from "../stage.ts";

/** A process may have 20,000 files open on many machines; all of a process come from one address, which has 28,000 ports. */
const SOCKETS_A_PROCESS = 17_000;
/** Tickets are good for 30 s. */
const TICKETS_AT_ONCE = 2_000;
const WARM_UP = 50;
const LATEST_MS = 10_000;

export type OwnEventFigures = { p50Ms: number; p99Ms: number; cpuUs: number };

/**
 * From the publishing of one user's event until the user's only socket has it, beside so many sockets of others in one room;
 * one event after the other. `cpuUs`: of all workers and Redis, for one event.
 */
export async function ownEvents(stage: Stage, sockets: number, events: number): Promise<OwnEventFigures> {
  const processes = Math.max(1, Math.ceil(sockets / SOCKETS_A_PROCESS));
  const served = await openOurs(stage, { rooms: 1, viewersEach: 0, senders: 0 }, processes);
  const [room = ""] = served.setting.rooms;
  const people = await stage.people(sockets);
  const [reader] = await stage.people(1);
  if (!reader) throw new Error("nobody reads");
  const loads = await Promise.all(
    Array.from({ length: processes }, (_, i) =>
      startLoad({ ...served.setting, localAddress: `127.0.0.${2 + i}` }),
    ),
  );
  const userEvents = createUserEvents({ redis: served.redis.client, log: quietLog() });
  try {
    for (let from = 0; from < people.length; from += TICKETS_AT_ONCE) {
      const tickets = await stage.tickets(people.slice(from, from + TICKETS_AT_ONCE), served.redis);
      const viewers = tickets.map((ticket) => ({ room: 0, opening: DIALECTS.ours.viewer(room, ticket) }));
      await loads[Math.floor(from / SOCKETS_A_PROCESS)]?.connect(viewers);
    }
    const [ticket = ""] = await stage.tickets([reader], served.redis);
    const socket = new WebSocket(`ws://127.0.0.1:${served.setting.port}/v1/ws/user?ticket=${ticket}`);
    const frames = readerOf(socket);
    await frames.holding('"subscribed"');

    const took: number[] = [];
    const pids = [...served.setting.pids.servers, ...served.setting.pids.redis];
    let cpuBefore = 0;
    for (let n = 0; n < WARM_UP + events; n++) {
      if (n === WARM_UP) cpuBefore = cpuMs(pids);
      const mark = `n${String(n).padStart(6, "0")}`;
      const arrived = frames.holding(mark);
      const from = performance.now();
      const data = { id: mark };
      await userEvents.publish("bench.event", [{ userId: reader.userId, data }], {
        ref: mark,
        version: 1,
        n: 0,
      });
      await arrived;
      if (n >= WARM_UP) took.push(performance.now() - from);
    }
    const cpuUs = ((cpuMs(pids) - cpuBefore) * 1_000) / events;
    socket.terminate();
    return { p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99), cpuUs };
  } finally {
    await userEvents.close();
    await Promise.all(loads.map((load) => load.close()));
    await served.close();
  }
}

/** Frames of one socket, waited for by what is in them. */
function readerOf(socket: WebSocket) {
  const waiting = new Map<string, () => void>();
  const seen: string[] = [];
  socket.on("message", (bytes) => {
    const text = String(bytes);
    seen.push(text);
    for (const [part, go] of waiting) if (text.includes(part)) go();
  });
  let fail: (err: Error) => void = () => undefined;
  socket.once("close", () => fail(new Error("the reader's socket was closed")));
  return {
    holding: (part: string): Promise<void> =>
      new Promise<void>((resolve, reject) => {
        if (seen.some((text) => text.includes(part))) return resolve();
        const late = setTimeout(() => reject(new Error(`nothing with ${part} came`)), LATEST_MS);
        fail = reject;
        waiting.set(part, () => {
          clearTimeout(late);
          waiting.delete(part);
          seen.length = 0;
          resolve();
        });
      }),
  };
}
