import { MongoNetworkError } from "mongodb";
import { Connection } from "mongodb/lib/cmap/connection.js";

/**
 * Works around a bug of the driver (7.8, and 7.9 still): it waits without a deadline for a socket to drain after a write that
 * reports back-pressure. A socket that was just destroyed reports that too and never drains: an operation that begins in the
 * moment in which its connection breaks would hang forever and keep its place in the pool. With this patch it fails like the
 * others on that connection.
 */
const { writeCommand } = Connection.prototype;

/** Aborted when the socket has closed. One per socket, so that a command costs no controller and no listeners. */
const closings = new WeakMap<Connection["socket"], AbortSignal>();

function closingOf(socket: Connection["socket"]): AbortSignal {
  const known = closings.get(socket);
  if (known) return known;
  const closing = new AbortController();
  const onClose = () =>
    closing.abort(new MongoNetworkError("the connection broke before a command was written"));
  if (socket.closed) onClose();
  else socket.once("close", onClose);
  closings.set(socket, closing.signal);
  return closing.signal;
}

Connection.prototype.writeCommand = function write(command, options) {
  const closing = closingOf(this.socket);
  const signal = options.signal ? AbortSignal.any([options.signal, closing]) : closing;
  return writeCommand.call(this, command, { ...options, signal });
};
