import uWS from "uWebSockets.js";
import { ServiceError } from "../../specs/contract/errors.ts";
import { ADDRESSES, CLOSE_CODES } from "../../specs/contract/frames.ts";
import type { ControlMessage } from "../rooms/control.ts";
import { asServiceError, createCommands } from "./commands.ts";
import type { Connection, SocketData } from "./connection.ts";
import { drainSockets, retryWindowMs } from "./drain.ts";
import { createFeeds } from "./feeds.ts";
import { message, refusalOf } from "./frames.ts";
import { deadlineOfNow } from "./in-time.ts";
import { type Listening, listen } from "./listen.ts";
import { addressOf } from "./local-socket.ts";
import { createMemberStandings } from "./member-standing.ts";
import { createNotices } from "./notices.ts";
import { createPlaces, type Place } from "./places.ts";
import { PrivateEvents } from "./private-events.ts";
import { createReplayBudget } from "./replay-budget.ts";
import { createRoomCheck } from "./room-check.ts";
import { createRoomSizes } from "./room-sizes.ts";
import { createSocketCounts } from "./socket-counts.ts";
import { createSockets } from "./sockets.ts";
import { createSubscriptions } from "./subscriptions.ts";
import { createTimeSlicer } from "./time-slicer.ts";
import { defaultLimits, type GatewayDeps } from "./types.ts";
import { admitSocket, PATH_KINDS, type PathKind, readRequest, refuse } from "./upgrade.ts";
import { createUpgradeCork } from "./upgrade-cork.ts";
import { createViewerCounts } from "./viewer-counts.ts";

const IDLE_SECONDS = 40;
const PING_SECONDS = 24;
const HARD_BACKPRESSURE = 1024 * 1024;
const MAX_FRAME = 8 * 1024;
/** Below it are the codes that every WebSocket has, such as that of a restart. */
const FIRST_OWN_CODE = 4_000;
/** A tail that hasn't been answered for this long isn't ready. */
const READY_LAG_MS = 5_000;

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** Serves the sockets. Rejects when the port can't be had. */
export async function startGateway(deps: GatewayDeps) {
  const { redis, rooms, presence, identity, control, userEvents, log } = deps;
  const { onRefused = () => undefined } = deps;
  const limits = { ...defaultLimits, ...deps.limits };
  const app = uWS.App();
  let isClosed = false;
  const sockets = createSockets(limits);
  const counts = createSocketCounts({ redis, log });
  const places = createPlaces({ counts, limits });
  const requireRoom = createRoomCheck({ rooms, redis, limits, log });
  const budget = createReplayBudget({ redis, limits, log });
  function publish(topic: string, frame: Buffer | string): void {
    if (isClosed) return;
    app.publish(topic, frame, false);
    sockets.published(frame.length);
  }

  const feeds = createFeeds({ rooms, log, publish, followers: (topic) => app.numSubscribers(topic) });
  const viewerCounts = createViewerCounts({ presence, log, publish });
  const slicer = createTimeSlicer();
  const standings = createMemberStandings(deps);
  const subscriptions = createSubscriptions({
    ...{ gateway: deps, standings, feeds, slicer, budget, log },
    counts: viewerCounts,
    onSize: (streamId) => sizes.changed(streamId),
  });
  const sizes = createRoomSizes({
    ...{ rooms, worker: counts.worker, log },
    ...{ sizeOf: subscriptions.sizeOf, all: subscriptions.rooms },
  });
  const notices = createNotices({ standings, subscriptions, hasRoom: feeds.has, publish, log });
  const commands = createCommands({ gateway: deps, subscriptions, requireRoom, log });

  function opened(connection: Connection): void {
    sockets.add(connection);
    const { holder, purpose } = connection;
    // A session may have ended, or a name changed, between its ticket and this turn.
    if (holder && identity.isRevoked(holder.sessionId)) sockets.revoke(holder);
    const newName = holder && identity.newNameOf(holder.userId);
    if (newName) connection.rename(newName);
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
    const { channel, after } = purpose;
    if (channel === null) return;
    follow(connection, { channel, after, first: [], deadline: deadlineOfNow() }).catch((err: unknown) => {
      const error = asServiceError(err, log);
      onRefused("subscribe", error.code);
      connection.send(refusalOf(null, error));
      connection.send(message("bye", null, { retry_after_ms: 1_000 }));
      connection.end(CLOSE_CODES.restart, "unavailable");
    });
  }

  /** Noted first: a socket that is about to open finds it there. */
  function revoked(order: Extract<ControlMessage, { type: "session.revoked" }>): void {
    const { sessionId } = order;
    if (sessionId !== null) identity.noteRevoked({ ...order, sessionId });
    sockets.revoke(order);
  }

  async function follow(...asked: Parameters<typeof subscriptions.subscribe>): Promise<void> {
    const { caughtUp } = await subscriptions.subscribe(...asked);
    await caughtUp;
  }

  const upgradeCork = createUpgradeCork(app);
  function refuseUpgrade(
    res: uWS.HttpResponse,
    operation: PathKind | "none",
    err: unknown,
    place: Place | null,
  ): void {
    const error = asServiceError(err, log);
    onRefused(operation, error.code);
    refuse(res, error, log, place?.allowance);
  }

  for (const kind of PATH_KINDS) {
    app.ws<SocketData>(ADDRESSES[kind].replace("{stream_id}", ":stream_id"), {
      idleTimeout: IDLE_SECONDS,
      sendPingsAutomatically: true,
      maxPayloadLength: MAX_FRAME,
      // Compressing would be done per subscriber.
      compression: uWS.DISABLED,
      maxBackpressure: HARD_BACKPRESSURE,
      closeOnBackpressureLimit: 1,
      upgrade(res, req, context) {
        const key = req.getHeader("sec-websocket-key");
        const protocol = req.getHeader("sec-websocket-protocol");
        const extensions = req.getHeader("sec-websocket-extensions");
        let isGone = false;
        res.onAborted(() => {
          isGone = true;
        });
        const asked = readRequest(kind, res, req, { ...deps, isGone: () => isGone });
        let place: Place | null = null;
        const refuseIt = (err: unknown) => {
          place?.release();
          if (!isGone && !isClosed) res.cork(() => refuseUpgrade(res, kind, err, place));
        };
        places
          .take(asked.ip)
          .then((taken) => {
            place = taken;
            return admitSocket(asked, taken, { ...deps, requireRoom, feeds });
          })
          .then((connection) =>
            slicer.run(() => {
              if (isGone || isClosed) return connection.place.release();
              isGone = true;
              upgradeCork.run(res, () => res.upgrade({ connection }, key, protocol, extensions, context));
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
      close(ws, code, reason) {
        const { connection } = ws.getUserData();
        // Given up before uWS closed it: we ended it, so the reason is one of ours.
        if (!connection.isOpen && code >= FIRST_OWN_CODE) onRefused("close", Buffer.from(reason).toString());
        connection.closed();
        connection.place.release();
        subscriptions.leaveAll(connection);
        sockets.remove(connection);
      },
    });
  }
  app.any("/*", (res, req) => {
    const ip = addressOf(res, req, deps);
    let isGone = false;
    res.onAborted(() => {
      isGone = true;
    });
    // Counted like any other upgrade.
    places.take(ip).then(
      (place) => {
        place.release();
        if (!isGone && !isClosed)
          res.cork(() => refuseUpgrade(res, "none", new ServiceError("not_found"), place));
      },
      (err: unknown) => {
        if (!isGone && !isClosed) res.cork(() => refuseUpgrade(res, "none", err, null));
      },
    );
  });

  const privateEvents = new PrivateEvents({
    isHere: (userId) => sockets.isHere(userId),
    send(userId, text) {
      for (const connection of sockets.ofUser(userId)) {
        if (connection.channels.has("user")) connection.send(text);
      }
    },
  });
  const unsubscribers = [
    identity.onRevoked((revoked) => sockets.revoke(revoked)),
    identity.onRenamed((renamed) => sockets.rename(renamed)),
    identity.onStaffChanged((userId) => sockets.isHere(userId) && notices.standsAnew(userId)),
    await control.subscribe((order) => {
      if (order.type === "session.revoked") revoked(order);
      else notices.receive(order.streamId, order.event);
    }),
    await userEvents.subscribe((event) => privateEvents.receive(event)),
  ];

  let listening: Listening | null = null;

  async function stop(): Promise<void> {
    if (isClosed) return;
    listening?.close();
    await drainSockets(sockets, 0);
    isClosed = true;
    upgradeCork.close();
    for (const unsubscribe of unsubscribers) unsubscribe();
    privateEvents.stop();
    viewerCounts.stop();
    await sizes.stop();
    await counts.stop();
    notices.stop();
    sockets.stop();
    app.close();
    await feeds.close();
  }

  try {
    await counts.start();
    listening = await listen(app, { ...deps, localSocket: deps.localSocket.path });
    await upgradeCork.open(deps.localSocket.path);
  } catch (err) {
    await stop();
    throw err;
  }
  const { port, close: stopListening, isOpen: isListening } = listening;

  return {
    port,
    /** Accepts no more and closes all sockets, spread over `ms`; they come back to another worker. */
    async drain(ms: number): Promise<void> {
      stopListening();
      await drainSockets(sockets, ms);
    },
    /** Twice is once. */
    stop,
    isReady: () => isListening() && feeds.lagMs() < READY_LAG_MS,
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
