import { createServer, type IncomingMessage, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { type AppDeps, createApp } from "../api/http/app.ts";
import type { Operations } from "../api/http/bind.ts";
import { answerBrokenRequest } from "../api/http/broken-request.ts";
import { answerByApp } from "../api/http/refused-upgrade.ts";
import { clientAddressBehind, networksFrom } from "../store/addresses.ts";
import { drainHttp } from "./drain-http.ts";
import { guardConnections } from "./http-connections.ts";
import { endSoon } from "./upgrade-splice/answer.ts";
import { spliceUpgrades } from "./upgrade-splice/splice.ts";

/**
 * How long clients may take to leave by themselves once the drain has begun, how long requests after it, and over how
 * long at most sockets that pass through here are ended.
 */
const DRAIN = { lingerMs: 3_000, finishMs: 5_000, spreadMs: 4_000 };

/** Deadlines, ms; specs shorten them. */
const TIMES = {
  head: 10_000,
  request: 30_000,
  /** How often those two are looked at; also what ends a body that nobody reads, after a refusal. */
  check: 5_000,
  keepAlive: 65_000,
  /** An answer of which a reader takes nothing for so long isn't waited for. */
  unread: 60_000,
  /** A side of a spliced socket that takes nothing for so long is cut off. */
  stalled: 15_000,
};

export type HttpServer = Awaited<ReturnType<typeof serveHttp>>;

/**
 * Newer Nodes can be told which upgrades are meant; others are then plain requests with their bodies. Where they can't,
 * such a request is answered without its body and as the last of its connection.
 */
const onlyWebSockets: ServerOptions & { shouldUpgradeCallback(request: IncomingMessage): boolean } = {
  shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
};

/**
 * The public port with everything that stands before and behind routes: the one composition of it, for the service and
 * for specs, which may bring routes of their own.
 */
export async function serveHttp(
  deps: Omit<AppDeps, "clientAddress"> & {
    /** Null: all addresses. */
    host: string | null;
    port: number;
    trustedProxies: readonly string[];
    /** Where realtime workers listen, for WebSocket upgrades. */
    socketFolder: string;
    routes: (operations: Operations) => void;
    times?: Partial<typeof TIMES>;
  },
) {
  const times = { ...TIMES, ...deps.times };
  const trusted = networksFrom(deps.trustedProxies);
  const addressOf = clientAddressBehind(trusted);
  const clientAddress = ({ socket, headers }: IncomingMessage): string =>
    // Node joins a repeated header by commas.
    addressOf(socket.remoteAddress, headers["x-forwarded-for"]?.toString());
  const { answer, operations, messages } = createApp({ ...deps, clientAddress });
  deps.routes(operations);

  const server = createServer(
    {
      headersTimeout: times.head,
      requestTimeout: times.request,
      connectionsCheckingInterval: times.check,
      keepAliveTimeout: times.keepAlive,
      // Node would answer by itself, without the envelope; the app does.
      requireHostHeader: false,
      ...messages,
      ...onlyWebSockets,
    },
    answer,
  );
  server.on("clientError", (err, socket) => {
    const code = answerBrokenRequest(err, socket);
    if (code) deps.onRefused?.({ operationId: null, code });
    if (code) endSoon(socket);
  });
  // As above; an expectation that nobody knows may be left unheard (RFC 9110, 10.1.1).
  server.on("checkExpectation", answer);
  const { socketFolder, log, rateLimitFactor: factor } = deps;
  const connections = guardConnections(server, { trusted, factor, stalledMs: times.unread });
  const splice = spliceUpgrades(server, {
    ...{ socketFolder, log, clientAddress },
    stalledMs: times.stalled,
    answer: (request, client, refusal) => answerByApp(answer, { request, client, refusal }, endSoon),
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
    sockets: () => splice.count(),
    /** Connections that aren't spliced. */
    connections: () => connections.count(),
    /** Ends what was spliced, takes no new connection, and finishes the requests under way. */
    async drain({ spreadMs, ...within } = DRAIN): Promise<void> {
      await Promise.all([splice.close(spreadMs), drainHttp(server, within)]);
      connections.stop();
    },
  };
}
