import uWS from "uWebSockets.js";
import { ServiceError } from "../../specs/contract/errors.ts";
import { CLOSE_CODES } from "../../specs/contract/frames.ts";
import { newId } from "../../store/ids.ts";
import { asServiceError, createCommands } from "./commands.ts";
import type { Connection, SocketData } from "./connection.ts";
import { drainSockets, retryWindowMs } from "./drain.ts";
import { createFeeds } from "./feeds.ts";
import { message, refusalOf } from "./frames.ts";
import { createNotices } from "./notices.ts";
import { createSockets } from "./sockets.ts";
import { createSubscriptions } from "./subscriptions.ts";
import { createTurnstile } from "./turnstile.ts";
import { defaultLimits, type GatewayDeps } from "./types.ts";
import { admitSocket, type PathKind, readRequest, refuse } from "./upgrade.ts";
import { createViewerCounts } from "./viewer-counts.ts";

const IDLE_SECONDS = 40;
const PING_SECONDS = 24;
const HARD_BACKPRESSURE = 1024 * 1024;
const MAX_FRAME = 8 * 1024;
const REPORT_MS = 5_000;
/** A tail that hasn't been answered for this long isn't ready. */
const READY_LAG_MS = 5_000;

const PATHS: Record<PathKind, string> = {
  chat: "/v1/ws/chat/:stream_id",
  viewers: "/v1/ws/viewers/:stream_id",
  user: "/v1/ws/user",
  all: "/v1/ws",
};

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** Serves the sockets. Rejects when the port can't be had. */
export async function startGateway(deps: GatewayDeps) {
  const { rooms, presence, identity, control, userEvents, log } = deps;
  const limits = { ...defaultLimits, ...deps.limits };
  const workerId = newId();
  const app = uWS.App();
  let isClosed = false;
  const sockets = createSockets(limits);
  function publish(topic: string, frame: Buffer | string): void {
    if (isClosed) return;
    app.publish(topic, frame, false);
    sockets.published(frame.length);
  }

  const feeds = createFeeds({ rooms, log, publish, followers: (topic) => app.numSubscribers(topic) });
  const counts = createViewerCounts({ presence, log, publish });
  const turnstile = createTurnstile();
  const subscriptions = createSubscriptions({ gateway: deps, feeds, counts, turnstile, log });
  const notices = createNotices({ rooms, subscriptions, hasRoom: feeds.has, publish, log });
  const commands = createCommands({ gateway: deps, subscriptions, log });

  function opened(connection: Connection): void {
    sockets.add(connection);
    const { holder, purpose } = connection;
    // A session may have ended between its ticket and this turn.
    if (holder && identity.isRevoked(holder.sessionId)) sockets.revoke(holder);
    connection.send(
      message("hello", null, {
        connection_id: connection.id,
        user_id: holder?.userId ?? null,
        ping_interval: PING_SECONDS,
        // For when this worker dies: whoever came late has many beside it, and takes its time.
        retry_after_ms: retryWindowMs({ sockets: sockets.count(), leastMs: 0 }),
        server_time: new Date().toISOString(),
      }),
    );
    if (purpose.channel === null) return;
    subscriptions.subscribe(connection, purpose.channel, purpose.after, []).catch((err: unknown) => {
      connection.send(refusalOf(null, asServiceError(err, log)));
      connection.send(message("bye", null, { retry_after_ms: 1_000 }));
      connection.end(CLOSE_CODES.restart, "unavailable");
    });
  }

  /**
   * A response must not be corked while it becomes a socket: when that keeps its place in memory, uWS ends the cork
   * as for a response, reads flags that aren't there any more, and closes it (1006; 1 in 10 of the first sockets of
   * a process). Nothing can be corked while another socket is, and uWS asks for a cork call to keep quiet.
   */
  function upgradeUncorked(res: uWS.HttpResponse, upgrade: () => void): void {
    const other = sockets.any();
    if (other) other.corked(() => void res.cork(upgrade));
    else upgrade();
  }

  for (const [kind, path] of Object.entries(PATHS) as [PathKind, string][]) {
    app.ws<SocketData>(path, {
      idleTimeout: IDLE_SECONDS,
      sendPingsAutomatically: true,
      maxPayloadLength: MAX_FRAME,
      // Compressing would be done per subscriber.
      compression: uWS.DISABLED,
      maxBackpressure: HARD_BACKPRESSURE,
      closeOnBackpressureLimit: 1,
      upgrade(res, req, context) {
        const asked = readRequest(kind, res, req, deps.trustedProxies ?? []);
        const key = req.getHeader("sec-websocket-key");
        const protocol = req.getHeader("sec-websocket-protocol");
        const extensions = req.getHeader("sec-websocket-extensions");
        let isGone = false;
        res.onAborted(() => {
          isGone = true;
        });
        const refuseIt = (err: unknown) => {
          if (!isGone && !isClosed) res.cork(() => refuse(res, err, log));
        };
        admitSocket(asked, deps)
          .then((connection) =>
            turnstile.pass(() => {
              if (isGone || isClosed) return;
              sockets.requireRoom(connection);
              isGone = true;
              upgradeUncorked(res, () => res.upgrade({ connection }, key, protocol, extensions, context));
              if (connection.isOpen) opened(connection);
            }),
          )
          .catch(refuseIt);
      },
      open(ws) {
        const { connection } = ws.getUserData();
        connection.opened(ws);
      },
      message(ws, frame, isBinary) {
        const { connection } = ws.getUserData();
        commands.receive(connection, isBinary ? null : Buffer.from(frame).toString());
      },
      drain(ws) {
        ws.getUserData().connection.drained();
      },
      close(ws) {
        const { connection } = ws.getUserData();
        connection.closed();
        subscriptions.leaveAll(connection);
        sockets.remove(connection);
      },
    });
  }
  app.any("/*", (res) => refuse(res, new ServiceError("not_found"), log));

  const unsubscribers = [
    identity.onRevoked((revoked) => sockets.revoke(revoked)),
    await control.subscribe((order) => {
      if (order.type === "session.revoked") sockets.revoke(order);
      else notices.receive(order.streamId, order.event);
    }),
    await userEvents.subscribe(({ userId, type, data }) => {
      const text = message(type, "user", data);
      for (const connection of sockets.ofUser(userId)) {
        if (connection.channels.has("user")) connection.send(text);
      }
    }),
  ];

  let reported = new Set<string>();
  const reporting = setInterval(() => {
    const sizes = subscriptions.sizes();
    for (const streamId of reported) if (!sizes.has(streamId)) sizes.set(streamId, 0);
    reported = new Set([...sizes].flatMap(([streamId, size]) => (size > 0 ? [streamId] : [])));
    rooms
      .reportConnections(workerId, sizes)
      .catch((err: unknown) => log.debug({ err }, "reporting sockets failed"));
  }, REPORT_MS);

  const listening = await new Promise<uWS.us_listen_socket | false>((done) => {
    if (deps.host === undefined) app.listen(deps.port, done);
    else app.listen(deps.host, deps.port, done);
  });
  let listen: uWS.us_listen_socket | null = listening || null;

  function stopListening(): void {
    if (listen) uWS.us_listen_socket_close(listen);
    listen = null;
  }

  async function stop(): Promise<void> {
    if (isClosed) return;
    stopListening();
    await drainSockets(sockets, 0);
    isClosed = true;
    clearInterval(reporting);
    for (const unsubscribe of unsubscribers) unsubscribe();
    counts.stop();
    notices.stop();
    sockets.stop();
    app.close();
    await feeds.close();
  }

  if (!listen) {
    await stop();
    throw new Error(`Port ${deps.port} can't be listened on; is it in use?`);
  }

  return {
    port: uWS.us_socket_local_port(listen as unknown as uWS.us_socket),
    /** Accepts no more and closes all sockets, spread over `ms`; they come back to another worker. */
    async drain(ms: number): Promise<void> {
      stopListening();
      await drainSockets(sockets, ms);
    },
    /** Twice is once. */
    stop,
    isReady: () => listen !== null && feeds.lagMs() < READY_LAG_MS,
    stats: () => ({
      sockets: sockets.count(),
      rooms: feeds.count(),
      tailLagMs: feeds.lagMs(),
      paceMs: feeds.paceMs(),
      ...feeds.replayStats,
      slowReaders: sockets.slowReaders(),
    }),
  };
}
