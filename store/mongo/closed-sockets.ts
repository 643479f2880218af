import { MongoNetworkError } from "mongodb";
import { Connection } from "mongodb/lib/cmap/connection.js";

/**
 * Works around a bug of the driver (7.8, and 7.9 still): it waits without a deadline for a socket to drain after a write that
 * reports back-pressure. A socket that was just destroyed reports that too and never drains: an operation that begins in the
 * moment in which its connection breaks would hang forever and keep its place in the pool. With this patch it fails like the
 * others on that connection.
 */
const { writeCommand } = Connection.prototype;

Connection.prototype.writeCommand = async function write(command, options) {
  const { socket } = this;
  const closing = new AbortController();
  const onClose = () =>
    closing.abort(new MongoNetworkError("the connection broke before a command was written"));
  socket.once("close", onClose);
  const { signal } = closing;
  try {
    await writeCommand.call(this, command, {
      ...options,
      signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal,
    });
  } finally {
    socket.off("close", onClose);
  }
};
