import { STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";

const CLOSES_WITHIN_MS = 2_000;

/** A worker's response other than 101; its reader bounds the body. */
export type Relayed = { status: number; headers: readonly (readonly [string, string])[]; body: Buffer };

/** Relays a worker's plain response and closes the connection, so that no later request is read from it. */
export function relayAndEnd(client: Duplex, { status, headers, body }: Relayed): void {
  if (!client.writable) {
    client.destroy();
    return;
  }
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
    "Connection: close",
    "",
    "",
  ];
  client.write(lines.join("\r\n"));
  client.write(body);
  closeGracefully(client);
}

/** Ends our side. A client that doesn't end its own in time is cut, since nothing else would do it. */
export function closeGracefully(client: Duplex): void {
  if (!client.writableEnded) client.end();
  client.unpipe();
  client.resume();
  const cut = setTimeout(() => resetConnection(client), CLOSES_WITHIN_MS);
  client.once("close", () => clearTimeout(cut));
}

/** Resets the connection: after an orderly close the kernel would keep the unread bytes for minutes. */
export function resetConnection(connection: Duplex): void {
  if (connection instanceof Socket) connection.resetAndDestroy();
  else connection.destroy();
}
