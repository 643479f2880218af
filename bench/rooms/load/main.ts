/**
 * The load generator: a process of its own on a core of its own, that speaks WebSocket over plain sockets and counts
 * what comes by looking for marks in the bytes. It is driven by calls over its IPC channel.
 */

import { DIALECTS, type Opening } from "../dialects.ts";
import type { Answer, Call, ConnectFigures, LoadSetting } from "./calls.ts";
import { Viewer } from "./deliveries.ts";
import { RawSocket } from "./raw-socket.ts";
import { RoomCheck } from "./room-check.ts";
import { counted, send, type Talk } from "./sender.ts";
import { usageSince } from "./usage.ts";

const REFUSAL = Buffer.from('"error":');
const MANY_ROOMS = 1 << 13;
const KEEP_ALIVE_MS = 10_000;
const KEEP_ALIVE_TICK_MS = 20;

let talk: Talk | null = null;
const viewers: Viewer[] = [];
let closed = 0;
const sockets: RawSocket[] = [];

function prepare(setting: LoadSetting): void {
  const rooms = setting.rooms.map(
    () =>
      new RoomCheck({
        hasSeq: setting.dialect === "ours",
        onComplete: counted.complete,
        ...(setting.rooms.length > 1 ? { most: MANY_ROOMS } : {}),
      }),
  );
  talk = { setting, rooms, senders: [] };
  setInterval(keepAlive, KEEP_ALIVE_TICK_MS);
}

/** Some at a time, each a few times in the half minute after which servers ask. */
function keepAlive(): void {
  const { keepAlive: text } = DIALECTS[required().setting.dialect];
  for (const socket of sockets.splice(0, Math.ceil((sockets.length * KEEP_ALIVE_TICK_MS) / KEEP_ALIVE_MS))) {
    socket.keepAlive();
    if (text !== undefined) socket.say(text);
    sockets.push(socket);
  }
}

const required = (): Talk => {
  if (!talk) throw new Error("prepare comes first");
  return talk;
};

async function connect(call: Extract<Call, { name: "connect" }>): Promise<ConnectFigures> {
  const { setting, rooms, senders } = required();
  const used = usageSince(setting);
  const open = async (opening: Opening, onBytes: (bytes: Buffer) => void) => {
    const socket = await RawSocket.open(setting, opening, onBytes);
    socket.onClose = () => void closed++;
    sockets.push(socket);
    return socket;
  };
  // All are to be counted before the first of them sees a message.
  for (const { room } of call.viewers) {
    const check = rooms[room];
    if (check) check.viewers++;
  }
  await inTurns(call.viewers, call.atOnce, async ({ room, opening }) => {
    const check = rooms[room];
    if (!check) throw new Error(`there is no room ${room}`);
    const viewer = new Viewer(check, counted.delivery);
    await open(opening, (bytes) => viewer.read(bytes));
    viewers.push(viewer);
  });
  await inTurns([...call.senders.entries()], call.atOnce, async ([i, opening]) => {
    const room = i % rooms.length;
    const socket = await open(opening, (bytes) => {
      for (let at = bytes.indexOf(REFUSAL); at >= 0; at = bytes.indexOf(REFUSAL, at + 1)) {
        const check = rooms[room];
        if (check) counted.refused(check, bytes.toString("latin1", at, at + 120));
      }
    });
    senders.push({ socket, room });
  });
  const { atMs, cpuMs, load } = used();
  return { ms: atMs, cpuMs, load };
}

/** So many at a time, each next one as soon as one is done. */
async function inTurns<T>(all: T[], atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  const loop = async () => {
    for (let one = all[next++]; one !== undefined; one = all[next++]) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
}

async function answer(call: Call): Promise<unknown> {
  switch (call.name) {
    case "prepare":
      return prepare(call.setting);
    case "connect":
      return connect(call);
    case "send":
      return { ...(await send(required(), call.sending)), closed };
    case "seen":
      return viewers.reduce((sum, viewer) => sum + viewer.seen, 0);
  }
}

process.on("message", ({ id, call }: { id: number; call: Call }) => {
  const reply = (answered: Answer) => void process.send?.(answered);
  answer(call).then(
    (value) => reply({ id, value: value ?? null }),
    (err: unknown) => reply({ id, error: err instanceof Error ? (err.stack ?? err.message) : String(err) }),
  );
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
