/**
 * uWebSockets.js and nothing else: what comes in for a room goes out to it, in this process alone. Paced, a room's
 * messages are gathered as ours are: at once after 10 quiet ms, else with the next frame.
 */
import uWS from "uWebSockets.js";
import { begin } from "./begin.ts";

const INTERVAL_MS = 10;
/** As ours: below the 16 KiB that uWS joins into one send. */
const MAX_EVENTS = 64;
const MAX_BYTES = 15 * 1024;
/** "r00001 " */
const ROOM_BYTES = 7;

const [OPEN, COMMA, CLOSE] = [Buffer.from("["), Buffer.from(","), Buffer.from("]")];

function arrayOf(messages: Buffer[]): Buffer {
  const parts = messages.flatMap((message, i) => (i === 0 ? [message] : [COMMA, message]));
  return Buffer.concat([OPEN, ...parts, CLOSE]);
}

type Room = { sentAt: number; waiting: Buffer[]; bytes: number; due: NodeJS.Timeout | null };

await begin(({ paced }) => {
  const app = uWS.App();
  const rooms = new Map<string, Room>();

  function flush(topic: string, room: Room): void {
    if (room.waiting.length === 0) return;
    app.publish(topic, arrayOf(room.waiting), false);
    room.waiting = [];
    room.bytes = 0;
    room.sentAt = performance.now();
  }

  function gather(topic: string, message: Buffer): void {
    const room = rooms.get(topic) ?? { sentAt: 0, waiting: [], bytes: 0, due: null };
    rooms.set(topic, room);
    if (room.waiting.length >= MAX_EVENTS || room.bytes + message.length > MAX_BYTES) flush(topic, room);
    room.waiting.push(message);
    room.bytes += message.length;
    const wait = room.sentAt + INTERVAL_MS - performance.now();
    if (wait <= 0) {
      flush(topic, room);
      return;
    }
    room.due ??= setTimeout(() => {
      room.due = null;
      flush(topic, room);
    }, wait);
  }

  app.ws<{ room: string }>("/*", {
    maxBackpressure: 64 * 1024 * 1024,
    upgrade(res, req, context) {
      const key = req.getHeader("sec-websocket-key");
      res.upgrade({ room: req.getUrl().slice(1) }, key, "", "", context);
    },
    open(ws) {
      const { room } = ws.getUserData();
      if (room !== "") ws.subscribe(room);
      ws.send("ready");
    },
    message(_ws, frame) {
      const bytes = Buffer.from(frame);
      const topic = bytes.toString("latin1", 0, ROOM_BYTES - 1);
      const message = bytes.subarray(ROOM_BYTES);
      // uWS takes the memory back with the end of this call.
      if (paced) gather(topic, Buffer.from(message));
      else app.publish(topic, message, false);
    },
  });
  return new Promise((resolve, reject) => {
    app.listen("127.0.0.1", 0, (listening) => {
      if (listening) resolve(uWS.us_socket_local_port(listening as unknown as uWS.us_socket));
      else reject(new Error("uWebSockets.js can't listen"));
    });
  });
});
