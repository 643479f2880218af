/**
 * WebSocket upgrades on the public port, handed over to a realtime worker of this machine:
 * 1. The request is checked: only WebSocket, no body, a bounded head.
 * 2. A worker is tried over its Unix socket, with the headers that it needs and the client's address.
 * 3. Only after a 101 response are bytes piped both ways, unread. Any other response is relayed and both connections are
 *    closed: behind a proxy, what follows on the client's connection may be another user's request, and is never read.
 * 4. When one side stops reading what waits for it, both are cut.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { asUnavailable } from "../../../base/failures/unavailable.ts";
import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import { invalid, ServiceError, unavailable } from "../../../contract/errors.ts";
import { relayAndEnd, resetConnection } from "./answer.ts";
import { askWorker } from "./ask-worker.ts";
import { MAX_SPLICED } from "./limits.ts";
import { type Passage, pipeBoth } from "./pass-bytes.ts";
import { tokenOf } from "./socket-folder.ts";

const STEP_MS = 50;
/** Few sockets are closed faster than `ms` would allow: this much time for each. */
const MS_A_SOCKET = 10;

type Splice = {
  /** The number of spliced sockets, including those that still wait for a worker. */
  count(): number;
  /**
   * Accepts no more and closes all, spread evenly over at most `ms`, so that clients don't all reconnect at once. Resolves when
   * the last one was closed.
   */
  close(ms: number): Promise<void>;
};

type SpliceOptions = {
  /** Where realtime workers have their sockets. */
  socketFolder: string;
  log: Log;
  clientAddress: (request: IncomingMessage) => string;
  /** Whether this process may open no more connections for sockets. */
  isFull: () => boolean;
  /** A side that has taken nothing for this long is cut, ms. */
  stalledMs: number;
  /**
   * Answers an upgrade for which no worker is tried, as the plain request that it also is, and closes the connection. `refusal`
   * is the error to answer with, or null.
   */
  answer: (request: IncomingMessage, client: Duplex, refusal: ServiceError | null) => void;
};

export function spliceUpgrades(server: Server, options: SpliceOptions): Splice {
  const { socketFolder, log, clientAddress, isFull, stalledMs, answer: answerPlainly } = options;
  const outages = createOutageLog(log, "handing over of upgrades");
  const admission = createOutageLog(log, "admission of sockets");
  const token = tokenOf(socketFolder);
  const unanswered = countUnanswered(server);
  const slow = new Map<string, number>();
  const open = new Set<Duplex>();
  const passages = new Set<Passage>();
  let closed = false;
  const sweeping = setInterval(() => {
    const now = performance.now();
    for (const passage of passages) passage.endIfStalled(now, stalledMs);
  }, stalledMs / 4);

  async function splice(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const answer = await askWorker({
      request,
      client,
      socketFolder,
      token,
      slow,
      log,
      address: clientAddress(request),
    });
    if (client.destroyed) {
      if (answer.kind === "switched") answer.upstream.destroy();
      return;
    }
    if (answer.kind === "refused") {
      if ("error" in answer) answerPlainly(request, client, answer.error);
      else relayAndEnd(client, answer);
      return;
    }
    outages.succeeded();
    const passage = pipeBoth(client, answer.upstream);
    passages.add(passage);
    client.once("close", () => passages.delete(passage));
    client.write(answer.head);
    // The bytes that each side sent right after its head.
    if (answer.first.length > 0) client.write(answer.first);
    if (head.length > 0) answer.upstream.write(head);
  }

  server.on("upgrade", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    // An error ends the connection by "close"; without a listener it would end the process.
    client.on("error", (err) => log.debug({ err }, "a spliced client broke off"));
    // A body of such a request can't be parsed here.
    if (!isWebSocket(request)) return answerPlainly(request, client, hasBody(request) ? withBody() : null);
    const isOverloaded = open.size >= MAX_SPLICED || isFull();
    if (isOverloaded) admission.failed(overloaded(), { sockets: open.size });
    else admission.succeeded();
    const refusal = refusalOf(request) ?? (closed || isOverloaded ? overloaded() : null);
    if (refusal) return answerPlainly(request, client, refusal);
    // Pipelined requests: the socket would receive the responses to the requests before it. WebSocket clients don't
    // pipeline.
    if (unanswered(client) > 0) return resetConnection(client);
    open.add(client);
    client.once("close", () => open.delete(client));
    splice(request, client, head).catch((err: unknown) => {
      const outage = asUnavailable(err);
      if (outage) outages.failed(err);
      else log.error({ err }, "an upgrade failed unexpectedly");
      answerPlainly(request, client, outage ?? new ServiceError("internal"));
    });
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
      // Those that were accepted meanwhile.
      for (const client of open) client.destroy();
      clearInterval(sweeping);
    },
  };
}

export const overloaded = () =>
  unavailable({ retryAfterMs: 5_000, cause: new Error("as many connections as this process may hold") });

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === "websocket";

/** Returns the error to refuse the upgrade with; null when a worker may be tried. */
function refusalOf({ headers, method }: IncomingMessage): ServiceError | null {
  if (method !== "GET") return invalidUpgrade("/header/upgrade", "method", "is offered to a GET alone");
  if (!headers.host) return invalidUpgrade("/header/host", "required", "is missing");
  return hasBody({ headers }) ? withBody() : null;
}

const hasBody = ({ headers }: Pick<IncomingMessage, "headers">): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;

/** What follows the body would be read as the next request. */
const withBody = () => invalidUpgrade("/body", "empty", "an upgrade has no body");

const invalidUpgrade = (path: string, rule: string, message: string) => invalid({ path, rule, message });

/** Counts a connection's requests without a response yet: clients may pipeline several. */
function countUnanswered(server: Server): (client: Duplex) => number {
  const counts = new WeakMap<Duplex, number>();
  const countOf = (client: Duplex) => counts.get(client) ?? 0;
  server.on("request", ({ socket }, response) => {
    counts.set(socket, countOf(socket) + 1);
    response.once("close", () => counts.set(socket, countOf(socket) - 1));
  });
  return countOf;
}
