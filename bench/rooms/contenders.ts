import { DIALECTS } from "./dialects.ts";
import { openOurs } from "./ours.ts";
import { openRedis } from "./own-redis.ts";
import { end, forkOn, messageFrom } from "./processes.ts";
import { type Contender, MEASURED, type Options, type Scene, type Served } from "./scene.ts";
import type { PeerSetting } from "./servers/begin.ts";
import type { Stage } from "./stage.ts";

const RAW = new URL("./servers/raw.ts", import.meta.url);
const WS = new URL("./servers/ws.ts", import.meta.url);
const SOCKET_IO = new URL("./servers/socket-io.ts", import.meta.url);

export type ContenderName = "raw" | "paced" | "ours" | "twice" | "socketIo" | "ws";

export const CONTENDERS: Record<ContenderName, Contender> = {
  raw: { title: "bare uWebSockets.js, unpaced, no Redis", open: peer(RAW, "plain", { redis: false }) },
  paced: {
    title: "bare uWebSockets.js, paced alike, no Redis",
    open: peer(RAW, "plain", { redis: false, paced: true }),
  },
  ours: { title: "livecore", open: (stage, scene, options) => openOurs(stage, scene, 1, options) },
  twice: {
    title: "livecore, two workers",
    open: (stage, scene, options) => openOurs(stage, scene, 2, options),
  },
  socketIo: {
    title: "socket.io, uWS engine, redis-streams-adapter",
    open: peer(SOCKET_IO, "socketio", { redis: true }),
  },
  ws: { title: "ws, Redis pub/sub", open: peer(WS, "plain", { redis: true }) },
};

function peer(module: URL, dialect: "plain" | "socketio", needs: { redis: boolean; paced?: boolean }) {
  return async (_stage: Stage, scene: Scene, { measured = false }: Options = {}): Promise<Served> => {
    const redis = needs.redis ? await openRedis() : null;
    const server = forkOn("servers", module, { nodeArgs: measured ? MEASURED : [] });
    const setting: PeerSetting = { redisUrl: redis?.url ?? "", paced: needs.paced ?? false };
    server.send(setting);
    const port = await messageFrom(server, portIn);
    const rooms = Array.from({ length: scene.rooms }, (_, i) => `r${String(i).padStart(5, "0")}`);
    const { viewer, sender } = DIALECTS[dialect];
    return {
      setting: {
        port,
        dialect,
        rooms,
        pids: { servers: [server.pid ?? 0], redis: redis ? [redis.pid] : [] },
      },
      redis,
      viewers: async () =>
        rooms.flatMap((name, room) =>
          Array.from({ length: scene.viewersEach }, () => ({ room, opening: viewer(name) })),
        ),
      senders: async () => Array.from({ length: scene.senders }, () => sender()),
      async close() {
        await end(server);
        await redis?.close();
      },
    };
  };
}

function portIn(message: unknown): number | null {
  if (typeof message !== "object" || message === null || !("port" in message)) return null;
  return Number(message.port);
}
