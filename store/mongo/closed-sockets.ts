import { MongoNetworkError } from "mongodb";
import { Connection } from "mongodb/lib/cmap/connection.js";

/**
 * The driver (7.8, and 7.9 still) waits for a socket to drain, without a deadline, where a write says that it has to. A socket that
 * was just destroyed says so too and never drains: an operation that begins in the moment in which its connection breaks would hang
 * for ever and keep its place in the pool. With this it fails as others on that connection do.
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
