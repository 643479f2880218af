import { maxHeaderSize } from "node:http";
import type { Duplex } from "node:stream";
import { type ErrorCode, invalid, ServiceError } from "../../contract/errors.ts";

/**
 * Handles the server's `clientError`: answers what isn't HTTP, has too large a head, or doesn't arrive in time with the
 * envelope, too. The contract has no 408: what never became a complete request is a malformed one. The connection ends,
 * since it isn't known where its next request would begin. Returns the code, or null if no answer could be sent.
 */
export function answerBrokenRequest(err: NodeJS.ErrnoException, socket: Duplex): ErrorCode | null {
  if (err.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return null;
  }
  const isLarge = err.code === "HPE_HEADER_OVERFLOW";
  const error = isLarge
    ? new ServiceError("payload_too_large", { most_bytes: maxHeaderSize })
    : malformed(err);
  const body = JSON.stringify(error.envelope());
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${isLarge ? "Payload Too Large" : "Bad Request"}`,
      "Content-Type: application/json; charset=utf-8",
      "Cache-Control: no-store",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  return error.code;
}

function malformed(err: NodeJS.ErrnoException): ServiceError {
  return err.code === "ERR_HTTP_REQUEST_TIMEOUT"
    ? invalid({ path: "", rule: "complete", message: "didn't arrive as a whole in its time" })
    : invalid({ path: "", rule: "form", message: "isn't HTTP" });
}
