import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { addressKey, type Networks } from "../../../base/addresses.ts";

/** Maximum connections of one address to one process. A trusted proxy speaks for many addresses and has no limit. */
const MAX_OF_ADDRESS = 256;

type Progress = { written: number; waiting: number; since: number };

/**
 * Limits that Node's HTTP server doesn't have:
 * - how many connections an address may have;
 * - how many there may be: beyond that, the oldest one on which nothing was requested makes room for another; if there is none,
 *   requests on further ones are refused;
 * - how long a response may wait for a client that has stopped reading;
 * - kernel memory: a connection that is closed because it is idle or stalled is reset. After an orderly close the kernel
 *   would keep the unread bytes for minutes.
 */
export function limitConnections(
  server: Server,
  {
    trusted,
    factor,
    stalledMs,
    isFull,
  }: { trusted: Networks; factor: number; stalledMs: number; isFull: () => boolean },
): { count(): number; isTooMany(socket: Socket): boolean; stop(): void } {
  const ofAddress = new Map<string, number>();
  const waiting = new Map<Socket, Progress>();
  const open = new Set<Socket>();
  const tooMany = new WeakSet<Socket>();
  /** Without a request so far, the oldest first. */
  const silent = new Set<Socket>();
  const most = Math.max(1, Math.floor(MAX_OF_ADDRESS * factor));

  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    if (!trusted.has(address)) {
      const key = addressKey(address);
      const count = (ofAddress.get(key) ?? 0) + 1;
      if (count > most) return void socket.resetAndDestroy();
      ofAddress.set(key, count);
      socket.once("close", () => {
        const left = (ofAddress.get(key) ?? 1) - 1;
        if (left > 0) ofAddress.set(key, left);
        else ofAddress.delete(key);
      });
    }
    if (isFull() && !makeRoom()) tooMany.add(socket);
    open.add(socket);
    silent.add(socket);
    socket.once("close", () => forget(socket));
  });
  // The keep-alive time is over. With a listener for this event, Node leaves closing the socket to it.
  server.on("timeout", (socket: Socket) => socket.resetAndDestroy());
  // Spliced sockets have a stall check of their own.
  server.on("upgrade", (_request, socket: Socket) => {
    open.delete(socket);
    silent.delete(socket);
  });
  for (const event of ["request", "checkExpectation"])
    server.prependListener(event, ({ socket }: IncomingMessage) => silent.delete(socket));

  function forget(socket: Socket): void {
    open.delete(socket);
    waiting.delete(socket);
    silent.delete(socket);
  }

  function makeRoom(): boolean {
    const [oldest] = silent;
    if (!oldest) return false;
    // Its "close" comes later.
    forget(oldest);
    oldest.resetAndDestroy();
    return true;
  }

  const sweeping = setInterval(() => {
    const now = performance.now();
    for (const socket of open) {
      const { bytesWritten: written, writableLength } = socket;
      if (writableLength === 0) {
        waiting.delete(socket);
        continue;
      }
      const before = waiting.get(socket);
      if (before?.written !== written || before.waiting !== writableLength) {
        waiting.set(socket, { written, waiting: writableLength, since: now });
      } else if (now - before.since >= stalledMs) {
        socket.resetAndDestroy();
      }
    }
  }, stalledMs / 4);
  sweeping.unref();
  return {
    count: () => open.size,
    /** Accepted while the process was full: its first request is refused, and it is closed. */
    isTooMany: (socket) => tooMany.has(socket),
    stop: () => clearInterval(sweeping),
  };
}
