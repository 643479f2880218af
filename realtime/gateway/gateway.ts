import uWS from "uWebSockets.js";
import { newId } from "../../base/ids.ts";
import type { ControlMessage } from "../rooms/control.ts";
import { createChatChannel } from "./channels/chat-channel.ts";
import { createChatMembers } from "./channels/chat-members.ts";
import { createChatterWriter } from "./channels/chatter-writer.ts";
import { createEphemeralEvents } from "./channels/ephemeral-events.ts";
import { createInitialStates } from "./channels/initial-state.ts";
import { createMemberStates } from "./channels/member-state.ts";
import { createRaidMemberWriter } from "./channels/raid-member-writer.ts";
import { createRaidMoves } from "./channels/raid-moves.ts";
import { createRaidRooms } from "./channels/raid-rooms.ts";
import { createReplayBudget } from "./channels/replay-budget.ts";
import { createRoomSizes } from "./channels/room-sizes.ts";
import { createRoomVisibility } from "./channels/room-visibility.ts";
import { createSubscriptions } from "./channels/subscriptions.ts";
import { createUserChannel } from "./channels/user-channel.ts";
import { createViewerCounts } from "./channels/viewer-counts.ts";
import { createCommands } from "./commands.ts";
import type { GatewayDeps } from "./deps.ts";
import { createFeeds } from "./feed/feeds.ts";
import { createRoomLongPollServer } from "./feed/room-long-poll-server.ts";
import type { GatewayStats } from "./metrics.ts";
import { CLOSINGS } from "./socket/close-codes.ts";
import type { Connection } from "./socket/connection.ts";
import { newDeadline } from "./socket/deadline.ts";
import { drainSockets, retryWindowMs } from "./socket/drain.ts";
import { PING_SECONDS, serveEndpoints } from "./socket/endpoints.ts";
import { createFanOut } from "./socket/fan-out.ts";
import { message, refusalOf } from "./socket/frames.ts";
import { defaultLimits } from "./socket/limits.ts";
import { type Listening, listen } from "./socket/listen.ts";
import { asServiceError } from "./socket/refusals.ts";
import { createRoomCheck } from "./socket/room-check.ts";
import { sendBufferLimits } from "./socket/send-buffer.ts";
import { createSlowReaders } from "./socket/slow-readers.ts";
import { createSocketChecks } from "./socket/socket-checks.ts";
import { createSocketCounts } from "./socket/socket-counts.ts";
import { createSocketSlots } from "./socket/socket-slots.ts";
import { createSockets } from "./socket/sockets.ts";
import { createTimeSlicer } from "./socket/time-slicer.ts";
import { admitSocket } from "./socket/upgrade.ts";
import { createUpgradeCork } from "./socket/upgrade-cork.ts";
import { serveRoomWaits } from "./socket/wait-endpoint.ts";

/** If the tail's last answer is older than this, the worker isn't ready. */
const READY_LAG_MS = 5_000;

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

/**
 * Starts the WebSocket gateway. Rejects when the port can't be bound. Its parts import in one direction: channels (who
 * follows what) → feed (one room's events) → socket (one connection).
 */
export async function startGateway(deps: GatewayDeps) {
  const { redis, rooms, presence, tokens, directory, staff, control, userEvents, log } = deps;
  const { onRefused = () => undefined } = deps;
  const limits = { ...defaultLimits, ...deps.limits };
  const buffer = sendBufferLimits(limits.sendBufferBytes);
  const app = uWS.App();
  let isStopped = false;

  const sockets = createSockets();
  const slowReaders = createSlowReaders({ all: sockets.all, buffer, stalledMs: limits.stalledMs });
  const counts = createSocketCounts({ redis, log });
  const slots = createSocketSlots({ counts, limits });
  const checks = createSocketChecks({
    ...deps,
    sockets,
    everyMs: limits.sessionCheckMs,
    silentMs: counts.silentMs,
  });
  const requireRoom = createRoomCheck({ rooms, redis, limits, log });
  const slicer = createTimeSlicer();
  const upgradeCork = createUpgradeCork(app);

  const fanOut = createFanOut({
    publish(subTopic, frame) {
      if (isStopped) return;
      app.publish(subTopic, frame, false);
      slowReaders.published(frame.length);
    },
  });
  const { publish } = fanOut;
  const feeds = createFeeds({
    rooms,
    log,
    publish,
    followers: fanOut.followers,
    onRaidEvent: (streamId, { type, data }) => raidRooms.receive(streamId, type, data),
    onMoved: (feed) => roomWaits.moved(feed),
  });
  const roomWaits = createRoomLongPollServer(feeds);

  const members = createChatMembers({
    onEntered(streamId, member) {
      sizes.changed(streamId);
      chatters.entered(streamId, member.connection.member);
      raidRooms.entered(streamId, member);
    },
    onLeft(streamId, member) {
      sizes.changed(streamId);
      chatters.left(streamId, member.connection.member);
      raidRooms.left(streamId, member);
    },
  });
  const raidMemberWriter = createRaidMemberWriter({ raids: deps.raids, worker: newId(), log });
  const raidRooms = createRaidRooms({
    members,
    writer: raidMemberWriter,
    onGo: (raid) => raidMoves.begin(raid),
  });
  const memberStates = createMemberStates(deps);
  const initialStates = createInitialStates({ ...deps, memberStates });
  const viewerCounts = createViewerCounts({ presence, log, publish });
  const budget = createReplayBudget({ redis, limits, log });
  const chat = createChatChannel({
    rooms,
    members,
    memberStates,
    initialStates,
    raids: raidRooms,
    feeds,
    fanOut,
    slicer,
    budget,
  });
  const user = createUserChannel({ userEvents, rooms, budget, log });
  const subscriptions = createSubscriptions({
    chat,
    user,
    initialStates,
    feeds,
    fanOut,
    counts: viewerCounts,
  });
  const raidMoves = createRaidMoves({
    feeds,
    fanOut,
    members,
    subscriptions,
    slicer,
    raids: deps.raids,
    log,
  });
  const sizes = createRoomSizes({
    rooms,
    worker: counts.worker,
    log,
    sizeOf: members.sizeOf,
    all: members.rooms,
  });
  const chatters = createChatterWriter({ rooms, worker: counts.worker, log });
  const ephemeralEvents = createEphemeralEvents({ memberStates, members, hasRoom: feeds.has, publish, log });
  const requireVisible = createRoomVisibility({ initialStates, staff, staffLog: deps.staffLog });
  const commands = createCommands({ gateway: deps, subscriptions, requireRoom, requireVisible, log });

  function opened(connection: Connection): void {
    sockets.add(connection);
    const { holder, purpose } = connection;
    // The session may have been revoked, or the user renamed, between the ticket and this moment.
    if (holder && tokens.isRevoked(holder.sessionId)) sockets.revoke(holder);
    const newName = holder && directory.newNameOf(holder.userId);
    if (newName) connection.rename(newName);
    connection.send(
      message("hello", null, {
        connection_id: connection.id,
        user_id: holder?.userId ?? null,
        ping_interval: PING_SECONDS,
        // Used if this worker dies: the more sockets it had when this one connected, the longer the window of its reconnect.
        retry_after_ms: retryWindowMs({ sockets: sockets.all.size, leastMs: 0 }),
        server_time: new Date(deps.clock.now()).toISOString(),
      }),
    );
    const { channel, after } = purpose;
    if (channel === null) return;
    follow(connection, { channel, after, first: [], deadline: newDeadline() }).catch((err: unknown) => {
      const error = asServiceError(err, log);
      onRefused("subscribe", error.code);
      connection.send(refusalOf(null, error));
      connection.send(message("bye", null, { retry_after_ms: 1_000 }));
      connection.end(CLOSINGS.unavailable);
    });
  }

  async function follow(...request: Parameters<typeof subscriptions.subscribe>): Promise<void> {
    const { caughtUp } = await subscriptions.subscribe(...request);
    await caughtUp;
  }

  /** Recorded before the sockets are ended, so that a socket that is just being opened sees it. */
  function revoked(order: Extract<ControlMessage, { type: "session.revoked" }>): void {
    const { sessionId } = order;
    if (sessionId !== null) tokens.noteRevoked({ ...order, sessionId });
    sockets.revoke(order);
  }

  // Registered before `serveEndpoints`, whose catch-all route refuses unknown paths.
  serveRoomWaits(app, { localSocket: deps.localSocket, waits: roomWaits, log });
  serveEndpoints(app, {
    slots,
    slicer,
    upgradeCork,
    buffer,
    onRefused,
    log,
    clientAddress: deps.clientAddress,
    localSocket: deps.localSocket,
    async admit(request, slot) {
      checks.requireHere();
      return admitSocket(request, slot, {
        tickets: tokens,
        allowedOrigins: deps.allowedOrigins,
        requireRoom,
        requireVisible,
        buffer,
        requireReachable: feeds.reach,
      });
    },
    opened,
    received: commands.receive,
    closed(connection) {
      subscriptions.leaveAll(connection);
      sockets.remove(connection);
    },
    isStopped: () => isStopped,
    isFull: (upgrades) => sockets.all.size + upgrades >= (deps.maxSockets ?? Number.POSITIVE_INFINITY),
  });

  const unsubscribers = [
    tokens.onRevoked((revoked) => sockets.revoke(revoked)),
    directory.onRenamed((renamed) => sockets.rename(renamed)),
    staff.onStaffChanged((userId) => sockets.isHere(userId) && ephemeralEvents.roleChanged(userId)),
    await control.subscribe((order) => {
      if (order.type === "session.revoked") revoked(order);
      else ephemeralEvents.receive(order.streamId, order.event);
    }),
    await userEvents.subscribe(user.receive, user.resync),
  ];

  let listening: Listening | null = null;

  async function stop(): Promise<void> {
    if (isStopped) return;
    listening?.close();
    roomWaits.close();
    await Promise.all([checks.stop(), drainSockets(sockets, 0)]);
    isStopped = true;
    upgradeCork.close();
    for (const unsubscribe of unsubscribers) unsubscribe();
    user.stop();
    viewerCounts.stop();
    raidMoves.stop();
    raidRooms.stop();
    await raidMemberWriter.stop();
    await Promise.all([sizes.stop(), chatters.stop()]);
    await counts.stop();
    ephemeralEvents.stop();
    slowReaders.stop();
    app.close();
    await feeds.close();
  }

  try {
    await Promise.all([counts.start(), checks.start()]);
    listening = await listen(app, { ...deps, localSocket: deps.localSocket.path });
    await upgradeCork.open(deps.localSocket.path);
  } catch (err) {
    await stop();
    throw err;
  }
  const { port, close: stopListening, isOpen: isListening } = listening;

  return {
    port,
    /** Stops accepting connections and closes all sockets, spread over `ms`; clients reconnect to another worker. */
    async drain(ms: number): Promise<void> {
      stopListening();
      roomWaits.close();
      await drainSockets(sockets, ms);
    },
    /** Idempotent. */
    stop,
    isReady: () => isListening() && feeds.lagMs() < READY_LAG_MS,
    /** For metrics. */
    stats: (): GatewayStats => ({
      sockets: sockets.all.size,
      rooms: feeds.count(),
      tailLagSeconds: feeds.lagMs() / 1_000,
      paceSeconds: feeds.paceMs() / 1_000,
      ...feeds.replayStats,
      slowReaders: slowReaders.count(),
    }),
  };
}
