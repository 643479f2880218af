import { once } from "node:events";
import { join } from "node:path";
import { freePorts } from "../../deploy/development/stores/ports.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { SOCKET_FOLDER_VARIABLE } from "../../deploy/processes/process/messages.ts";
import { specSocketFolder } from "../../specs/support/socket-folder.ts";
import { keys, SHARDS } from "../../store/redis/keys.ts";
import { DIALECTS } from "./dialects.ts";
import { type OwnRedis, openRedis } from "./own-redis.ts";
import { end, forkOn, messageFrom } from "./processes.ts";
import { MEASURED, type Options, type Scene, type Served } from "./scene.ts";
import { EVERY_MODE, type Person, type Stage } from "./stage.ts";

/** What the archive leaves of a shard's live stream, which nobody archives here. */
const LIVE_ENTRIES = 10_000;
const TRIM_MS = 500;
const PROFILED_WITHIN_MS = 20_000;

/**
 * Realtime workers of the built service on a Redis of their own, with rooms and signed-in people in the database.
 * MongoDB is queried when somebody joins, and isn't counted; no archive runs.
 */
export async function openOurs(
  stage: Stage,
  scene: Scene,
  workers: number,
  { measured = false, profileTo }: Options = {},
): Promise<Served & { redis: OwnRedis }> {
  const { rules = "none" } = scene;
  const redis = await openRedis();
  const streams = await stage.rooms(scene.rooms, rules === "every" ? EVERY_MODE : undefined);
  const viewers = await stage.people(scene.rooms * scene.viewersEach);
  const senders = await stage.people(scene.senders);
  for (const [room, stream] of streams.entries()) {
    const here = senders.filter((_, i) => i % streams.length === room);
    if (rules === "every" && here.length > 0) await stage.follow(here, stream);
    if (rules === "vips" && here.length > 0) await stage.makeVips(here, stream);
  }

  const sockets = specSocketFolder();
  const [port = 0, apiPort, metricsPort] = await freePorts(3);
  const module = join(projectRoot, process.env.BENCH_BUILD ?? "dist", "deploy/processes/workers/realtime.js");
  const children = Array.from({ length: workers }, () =>
    forkOn("servers", module, {
      env: {
        ...stage.env,
        REDIS_URL: redis.url,
        [SOCKET_FOLDER_VARIABLE]: sockets.path,
        REALTIME_PORT: String(port),
        PORT: String(apiPort),
        METRICS_PORT: String(metricsPort),
      },
      nodeArgs: [
        ...(measured ? MEASURED : []),
        ...(profileTo ? ["--cpu-prof", "--cpu-prof-dir", profileTo] : []),
      ],
    }),
  );
  await Promise.all(children.map((child) => messageFrom(child, readyIn)));
  const trimming = setInterval(() => {
    for (let shard = 0; shard < SHARDS; shard++)
      redis.client
        .xtrim(keys.shardLive(shard), "MAXLEN", "~", LIVE_ENTRIES)
        .catch(() => clearInterval(trimming));
  }, TRIM_MS);

  const rooms = streams.map(({ _id }) => _id);
  const ticketsOf = (people: Person[]) => stage.tickets(people, redis);
  return {
    setting: {
      port,
      dialect: "ours",
      rooms,
      pids: { servers: children.map(({ pid = 0 }) => pid), redis: [redis.pid] },
    },
    redis,
    async viewers() {
      const tickets = await ticketsOf(viewers);
      return tickets.map((ticket, i) => {
        const room = i % rooms.length;
        return { room, opening: DIALECTS.ours.viewer(rooms[room] ?? "", ticket) };
      });
    },
    senders: async () => (await ticketsOf(senders)).map((ticket) => DIALECTS.ours.sender(ticket)),
    async close() {
      clearInterval(trimming);
      if (profileTo) await Promise.all(children.map(drained));
      await Promise.all(children.map(end));
      sockets.remove();
      await redis.close();
    },
  };
}

function readyIn(message: unknown): true | null {
  if (typeof message !== "object" || message === null || !("livecore" in message)) return null;
  if (message.livecore === "failed") throw new Error(`a worker failed: ${JSON.stringify(message)}`);
  return message.livecore === "ready" ? true : null;
}

/** A profile is written by a process that ends in order. */
async function drained(child: ReturnType<typeof forkOn>): Promise<void> {
  const gone = once(child, "exit", { signal: AbortSignal.timeout(PROFILED_WITHIN_MS) });
  child.send({ livecore: "drain" });
  await gone;
}
