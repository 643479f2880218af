import { type EventEmitter, errorMonitor } from "node:events";
import { Socket } from "node:net";

/**
 * Records every address to which this process opens a connection from now on: "host:port" of the remote side once connected, or
 * of the failed target. Unix sockets are left out.
 */
export function watchOutgoing() {
  const reached = new Set<string>();
  const connect = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    watch(this, reached);
    watchFailure(this, reached);
    return Reflect.apply(connect, this, args);
  };
  return {
    reached: () => [...reached].sort(),
    stop: () => {
      Socket.prototype.connect = connect;
    },
  };
}

function watch(socket: Socket, reached: Set<string>): void {
  socket.once("connect", () => {
    const { remoteAddress: host, remotePort: port } = socket;
    if (port !== undefined) reached.add(`${host}:${port}`);
  });
}

/** Observes errors without handling them. */
function watchFailure(socket: EventEmitter, reached: Set<string>): void {
  socket.once(errorMonitor, (err: { address?: string; hostname?: string; port?: number }) => {
    if (err.port !== undefined || err.hostname) reached.add(`${err.address ?? err.hostname}:${err.port}`);
  });
}
