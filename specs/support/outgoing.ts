import { type EventEmitter, errorMonitor } from "node:events";
import { Socket } from "node:net";

/**
 * Every address to which this process opens a connection from now on, whatever opens it: "host:port" once it is connected,
 * or what couldn't be reached. Sockets of files are left out.
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

/** Without handling it. */
function watchFailure(socket: EventEmitter, reached: Set<string>): void {
  socket.once(errorMonitor, (err: { address?: string; hostname?: string; port?: number }) => {
    if (err.port !== undefined || err.hostname) reached.add(`${err.address ?? err.hostname}:${err.port}`);
  });
}
