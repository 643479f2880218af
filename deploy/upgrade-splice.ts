import type { IncomingMessage, Server } from "node:http";
import { createConnection } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { ServiceError } from "../specs/contract/errors.ts";
import type { Log } from "../store/log.ts";

const CONNECTS_WITHIN_MS = 2_000;
const ANSWERS_WITHIN_MS = 10_000;
const CLOSES_WITHIN_MS = 2_000;
const STEP_MS = 50;
/** A few are ended sooner than they might be. */
const MS_A_SOCKET = 10;
/** Sockets of one process; the next one is told to come back later. */
const MOST_SPLICED = 50_000;

/** What a client may not say about itself: only we know where it comes from. */
const FORGEABLE = /^(x-forwarded-.*|forwarded|x-real-ip)$/i;

export type Splice = {
  /** How many sockets pass through right now. */
  count(): number;
  /**
   * Takes no more, and ends them all, spread evenly over at most `ms`, so that clients don't all come back elsewhere at
   * once. Resolves when the last one was ended.
   */
  close(ms: number): Promise<void>;
};

/**
 * Hands WebSocket upgrades that arrive on the public port over to the realtime workers on this machine: the request's
 * head is sent again with X-Forwarded-For overwritten, and from then on bytes pass both ways unread.
 */
export function spliceUpgrades(
  server: Server,
  options: {
    realtimePort: number;
    log: Log;
    /** The client's address, when a trusted proxy is in front; by default the peer's. */
    clientAddress?: (request: IncomingMessage) => string;
  },
): Splice {
  const { realtimePort, log } = options;
  const clientAddress = options.clientAddress ?? peerAddress;
  const open = new Set<Duplex>();
  let closed = false;

  server.on("upgrade", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    // An error on either side ends both by "close"; unheard, it would end the process.
    client.on("error", (err) => log.debug({ err }, "a spliced client broke off"));
    if (request.headers.upgrade?.toLowerCase() !== "websocket") {
      refuse(client, new ServiceError("validation_failed", { upgrade: "Only websocket is offered." }));
      return;
    }
    if (closed || open.size >= MOST_SPLICED) {
      refuse(client, new ServiceError("unavailable", { retry_after_ms: 5_000 }));
      return;
    }
    open.add(client);
    client.once("close", () => open.delete(client));
    splice({ request, client, head, address: clientAddress(request), realtimePort, log });
  });

  return {
    count: () => open.size,
    async close(ms) {
      closed = true;
      const leaving = [...open];
      const steps = Math.ceil(Math.min(ms, leaving.length * MS_A_SOCKET) / STEP_MS);
      for (let step = 1; step <= steps; step++) {
        for (const client of leaving.splice(0, Math.ceil(leaving.length / (steps - step + 1))))
          client.destroy();
        if (step < steps) await delay(STEP_MS);
      }
      // Those that came meanwhile.
      for (const client of open) client.destroy();
    },
  };
}

function splice(of: {
  request: IncomingMessage;
  client: Duplex;
  head: Buffer;
  address: string;
  realtimePort: number;
  log: Log;
}): void {
  const { client, log } = of;
  const upstream = createConnection({ host: "127.0.0.1", port: of.realtimePort, noDelay: true });
  let answered = false;
  const giveUp = (reason: string) => {
    if (answered) return;
    answered = true;
    log.warn({ reason }, "an upgrade found no realtime worker");
    refuse(client, new ServiceError("unavailable", { retry_after_ms: 1_000 }));
    upstream.destroy();
  };
  const connecting = setTimeout(giveUp, CONNECTS_WITHIN_MS, "no connection in time");
  const answering = setTimeout(giveUp, ANSWERS_WITHIN_MS, "no answer in time");
  const settle = () => {
    clearTimeout(connecting);
    clearTimeout(answering);
  };

  upstream.on("error", (err) => giveUp(err.message));
  upstream.once("connect", () => {
    clearTimeout(connecting);
    upstream.write(requestHead(of.request, of.address));
    if (of.head.length > 0) upstream.write(of.head);
    client.pipe(upstream);
  });
  upstream.once("data", (first) => {
    answered = true;
    settle();
    if (client.destroyed) return;
    client.write(first);
    // Pipe keeps the pace of the slower side, so a client that doesn't read fills no memory here.
    upstream.pipe(client);
  });
  upstream.once("close", () => {
    settle();
    giveUp("closed before it answered");
    endSoon(client);
  });
  client.once("close", () => {
    settle();
    upstream.destroy();
  });
}

function requestHead(request: IncomingMessage, address: string): string {
  const lines = [`${request.method} ${request.url} HTTP/1.1`];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i] ?? "";
    if (!FORGEABLE.test(name)) lines.push(`${name}: ${request.rawHeaders[i + 1]}`);
  }
  lines.push(`X-Forwarded-For: ${address}`, "", "");
  return lines.join("\r\n");
}

function refuse(client: Duplex, error: ServiceError): void {
  const body = JSON.stringify(error.envelope());
  const retry = error.status === 503 ? "Retry-After: 1\r\n" : "";
  client.end(
    `HTTP/1.1 ${error.status} ${error.status === 503 ? "Service Unavailable" : "Bad Request"}\r\n${retry}` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  endSoon(client);
}

/** Ends our side; a client that doesn't end its own in time is cut off, since nothing else would ever do it. */
function endSoon(client: Duplex): void {
  if (!client.writableEnded) client.end();
  client.resume();
  const cut = setTimeout(() => client.destroy(), CLOSES_WITHIN_MS);
  client.once("close", () => clearTimeout(cut));
}

/** A dual-stack listener shows IPv4 peers as ::ffff:a.b.c.d. */
const peerAddress = (request: IncomingMessage): string =>
  (request.socket.remoteAddress ?? "unknown").replace(/^::ffff:(?=\d+\.)/i, "");
