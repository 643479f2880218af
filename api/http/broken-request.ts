import type { Duplex } from "node:stream";
import { ServiceError } from "../../specs/contract/errors.ts";

/**
 * Answers what isn't HTTP, or whose head is too large, with the envelope too; the server's `clientError`
 * handler. The connection ends, since nobody knows where the next request in it would begin.
 */
export function answerBrokenRequest(err: NodeJS.ErrnoException, socket: Duplex): void {
  if (err.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const isLarge = err.code === "HPE_HEADER_OVERFLOW";
  const error = new ServiceError(isLarge ? "payload_too_large" : "validation_failed");
  const body = JSON.stringify(error.envelope());
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${isLarge ? "Payload Too Large" : "Bad Request"}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
