/** `ws` with Redis pub/sub, as its users build a chat over several processes. */
import { createServer } from "node:http";
import { Redis } from "ioredis";
import { type WebSocket, WebSocketServer } from "ws";
import { begin } from "./begin.ts";
import { listen } from "./listen.ts";

await begin(({ redisUrl }) => {
  const redis = new Redis(redisUrl);
  const subscriber = new Redis(redisUrl);
  const rooms = new Map<string, Set<WebSocket>>();
  const http = createServer();
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });

  subscriber.on("message", (room: string, text: string) => {
    for (const socket of rooms.get(room) ?? []) socket.send(text);
  });

  async function join(socket: WebSocket, room: string): Promise<void> {
    if (room !== "") {
      const members = rooms.get(room) ?? new Set();
      rooms.set(room, members.add(socket));
      if (members.size === 1) await subscriber.subscribe(room);
      socket.on("close", () => members.delete(socket));
    }
    socket.send("ready");
  }

  sockets.on("connection", (socket, request) => {
    void join(socket, (request.url ?? "/").slice(1));
    socket.on("message", (data) => {
      const text = data.toString();
      const space = text.indexOf(" ");
      void redis.publish(text.slice(0, space), text.slice(space + 1));
    });
  });
  return listen(http);
});
