/** Socket.IO with its uWebSockets.js engine and the Redis streams adapter: WebSocket alone, all else by default. */

import uWS from "uWebSockets.js";
import { createAdapter } from "@socket.io/redis-streams-adapter";
import { Redis } from "ioredis";
import { Server } from "socket.io";
import { begin } from "./begin.ts";

await begin(({ redisUrl }) => {
  const app = uWS.App();
  const io = new Server({
    transports: ["websocket"],
    serveClient: false,
    adapter: createAdapter(new Redis(redisUrl)),
  });
  io.attachApp(app);
  io.on("connection", (socket) => {
    socket.on("join", async (room: string) => {
      await socket.join(room);
      socket.emit("ready");
    });
    socket.on("say", (room: string, text: string) => void io.to(room).emit("m", text));
  });
  return new Promise((resolve, reject) => {
    app.listen("127.0.0.1", 0, (listening) => {
      if (listening) resolve(uWS.us_socket_local_port(listening as unknown as uWS.us_socket));
      else reject(new Error("uWebSockets.js can't listen"));
    });
  });
});
