import { STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";

const CLOSES_WITHIN_MS = 2_000;

/** What a worker answered instead of 101; its body is bounded by the reader. */
export type Relayed = { status: number; headers: readonly (readonly [string, string])[]; body: Buffer };

/** Passes a worker's plain answer on and ends the connection, so that no later request is read on it. */
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
  endSoon(client);
}

/** Ends our side; a client that doesn't end its own in time is cut off, since nothing else would ever do it. */
export function endSoon(client: Duplex): void {
  if (!client.writableEnded) client.end();
  client.unpipe();
  client.resume();
  const cut = setTimeout(() => cutOff(client), CLOSES_WITHIN_MS);
  client.once("close", () => clearTimeout(cut));
}

/** By a reset: behind an orderly end the kernel would keep, for minutes, what the reader has not taken. */
export function cutOff(connection: Duplex): void {
  if (connection instanceof Socket) connection.resetAndDestroy();
  else connection.destroy();
}
