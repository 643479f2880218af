import { createServer, type IncomingMessage, type RequestListener, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { type AppDeps, createApp } from "../../../api/http/app.ts";
import type { Operations } from "../../../api/http/bind.ts";
import { answerBrokenRequest } from "../../../api/http/broken-request.ts";
import { answerUpgradeAsRequest, refuseRequest } from "../../../api/http/refused-upgrade.ts";
import { clientAddressBehind, networksFrom } from "../../../base/addresses.ts";
import { type OpenFilesBudget, openFilesBudget } from "../process/open-files.ts";
import { closeGracefully } from "../upgrade-splice/answer.ts";
import { DESCRIPTORS_PER_SPLICE } from "../upgrade-splice/limits.ts";
import { overloaded, spliceUpgrades } from "../upgrade-splice/splice.ts";
import { drainHttp } from "./drain-http.ts";
import { limitConnections } from "./http-connections.ts";

/**
 * Drain times, ms: how long clients may take to leave by themselves, how long requests may take after that, and over how long at
 * most spliced sockets are closed.
 */
const DRAIN = { lingerMs: 3_000, finishMs: 5_000, spreadMs: 4_000 };

/** Timeouts, ms; specs shorten them. */
const TIMES = {
  head: 10_000,
  request: 30_000,
  /** How often `head` and `request` are checked. It also ends a request body that nobody reads, after a refusal. */
  check: 5_000,
  keepAlive: 65_000,
  /** A response is aborted when its reader has taken nothing of it for this long. */
  unread: 60_000,
  /** A spliced socket is cut when one side has taken nothing for this long. */
  stalled: 15_000,
};

export type HttpServer = Awaited<ReturnType<typeof serveHttp>>;

/**
 * Newer versions of Node can choose which upgrades are handled; other upgrade requests are then plain requests with bodies. In older
 * versions such a request is answered without its body being read, and its connection is closed.
 */
const onlyWebSockets: ServerOptions & { shouldUpgradeCallback(request: IncomingMessage): boolean } = {
  shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
};

/**
 * The public port with all middleware around the routes. The service and specs share this composition; specs may bring routes of
 * their own.
 */
export async function serveHttp(
  deps: Omit<AppDeps, "clientAddress"> & {
    /** Address to listen on; null: all addresses. */
    host: string | null;
    port: number;
    trustedProxies: readonly string[];
    /** Where realtime workers listen, for WebSocket upgrades. */
    socketFolder: string;
    routes: (operations: Operations) => void;
    /** How many descriptors connections may take; without it as many as come. */
    openFiles?: OpenFilesBudget;
    times?: Partial<typeof TIMES>;
  },
) {
  const times = { ...TIMES, ...deps.times };
  const trusted = networksFrom(deps.trustedProxies);
  const addressOf = clientAddressBehind(trusted);
  const clientAddress = ({ socket, headers }: IncomingMessage): string =>
    // Node joins repeated headers with commas.
    addressOf(socket.remoteAddress, headers["x-forwarded-for"]?.toString());
  const { answer, operations, messages, paths } = createApp({ ...deps, clientAddress });
  deps.routes(operations);

  const { openFiles = openFilesBudget(Number.POSITIVE_INFINITY) } = deps;
  const taken = () => connections.count() + DESCRIPTORS_PER_SPLICE * splice.count();
  const listener: RequestListener = (request, response) => {
    if (connections.isTooMany(request.socket)) {
      refuseRequest(request, overloaded());
      response.shouldKeepAlive = false;
    }
    answer(request, response);
  };
  const server = createServer(
    {
      headersTimeout: times.head,
      requestTimeout: times.request,
      connectionsCheckingInterval: times.check,
      keepAliveTimeout: times.keepAlive,
      // Node would answer by itself, without our error envelope; the app checks the header instead.
      requireHostHeader: false,
      ...messages,
      ...onlyWebSockets,
    },
    listener,
  );
  server.on("clientError", (err, socket) => {
    const code = answerBrokenRequest(err, socket);
    if (code) deps.onRefused?.({ operationId: null, code });
    if (code) closeGracefully(socket);
  });
  // Likewise. A server may ignore an unknown expectation (RFC 9110, 10.1.1).
  server.on("checkExpectation", listener);
  const { socketFolder, log, rateLimitFactor: factor } = deps;
  const connections = limitConnections(server, {
    trusted,
    factor,
    stalledMs: times.unread,
    isFull: () => taken() >= openFiles.connections,
  });
  const splice = spliceUpgrades(server, {
    socketFolder,
    log,
    clientAddress,
    isFull: () => taken() >= openFiles.sockets,
    stalledMs: times.stalled,
    answer: (request, client, refusal) =>
      answerUpgradeAsRequest(answer, { request, client, refusal }, closeGracefully),
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen({ port: deps.port, ...(deps.host === null ? {} : { host: deps.host }) }, () => {
      server.off("error", failed);
      listening();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    /** See `createApp`. */
    paths,
    sockets: () => splice.count(),
    /** Number of open connections that aren't spliced. */
    connections: () => connections.count(),
    /** Closes spliced sockets, accepts no new connections, and finishes the requests in progress. */
    async drain({ spreadMs, ...within } = DRAIN): Promise<void> {
      await Promise.all([splice.close(spreadMs), drainHttp(server, within)]);
      connections.stop();
    },
  };
}
