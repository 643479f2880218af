import { errorMonitor } from "node:events";
import { Socket } from "node:net";

/**
 * Every address to which this process opens a connection from now on, whatever opens it: "host:port" once it is connected,
 * or what couldn't be reached. Sockets of files are left out.
 */
export function watchOutgoing() {
  const reached = new Set<string>();
  const connect = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    this.once("connect", () => {
      if (this.remotePort !== undefined) reached.add(`${this.remoteAddress}:${this.remotePort}`);
    });
    this.once(errorMonitor, (err: { address?: string; hostname?: string; port?: number }) => {
      if (err.port !== undefined || err.hostname) reached.add(`${err.address ?? err.hostname}:${err.port}`);
    });
    return Reflect.apply(connect, this, args);
  };
  return {
    reached: () => [...reached].sort(),
    stop: () => {
      Socket.prototype.connect = connect;
    },
  };
}
