import type { Origin } from "../../base/audit.ts";
import type { Log } from "../../base/log.ts";
import { invalid, rateLimited, ServiceError } from "../../contract/errors.ts";
import { readCommand } from "../../contract/frames.ts";
import { COMMAND_SCOPES } from "../../contract/generated/sockets.ts";
import type { NeededScopes } from "../../contract/scopes.ts";
import type { Command, CommandId, CommandMethod } from "../../contract/wire.ts";
import { isCommand } from "../rooms/text.ts";
import { type Subscriptions, streamIdIn } from "./channels/subscriptions.ts";
import type { GatewayDeps } from "./deps.ts";
import { COMMANDS_PER_SECOND, type Connection, type TicketHolder } from "./socket/connection.ts";
import { inTime, newDeadline, requireBeforeDeadline } from "./socket/deadline.ts";
import { refusalOf, replyTo } from "./socket/frames.ts";
import { asServiceError } from "./socket/refusals.ts";
import type { RequireVisible, RoomCheck } from "./socket/room-check.ts";
import { requireScopes, scopesOfTopic } from "./socket/scopes.ts";

/**
 * Executes clients' commands: one JSON object per frame, answered by a `reply` with the same id. Commands on one channel
 * run in order; others don't wait for them. Each is answered within a few seconds of its arrival.
 */
export function createCommands(deps: {
  gateway: Pick<GatewayDeps, "rooms" | "watching" | "moderation" | "onRefused" | "clock">;
  subscriptions: Subscriptions;
  requireRoom: RoomCheck;
  requireVisible: RequireVisible;
  log: Log;
}) {
  const { gateway, subscriptions, requireRoom, requireVisible, log } = deps;

  function refuse(
    connection: Connection,
    { method, id }: { method: CommandMethod | "none"; id: CommandId | null },
    error: ServiceError,
  ): void {
    gateway.onRefused?.(method, error.code);
    connection.send(refusalOf(id, error));
  }

  async function run(connection: Connection, command: Command, { arrivedAt, deadline }: Due): Promise<void> {
    const soon = <T>(work: Promise<T>) => inTime(work, deadline);
    const requireRoomSoon = (streamId: string) =>
      gateway.rooms.isKnown(streamId) ? undefined : soon(requireRoom(streamId, connection.ip, deadline));
    switch (command.method) {
      case "subscribe": {
        const { channel, after = null, follow_raids: followsRaids = false } = command.params;
        const streamId = streamIdIn(channel, "chat") ?? streamIdIn(channel, "viewers");
        if (streamId) {
          await requireRoomSoon(streamId);
          const by = { viewer: connection.holder, origin: originOf(connection) };
          await requireVisible(streamId, by, deadline);
        }
        const first = [replyTo(command, { channel })];
        const { caughtUp } = await subscriptions.subscribe(connection, {
          channel,
          after,
          followsRaids,
          first,
          deadline,
        });
        // Not awaited: a long replay mustn't block the channel's other commands.
        caughtUp.catch((err: unknown) => refuse(connection, command, asServiceError(err, log)));
        return;
      }
      case "unsubscribe": {
        const { channel } = command.params;
        subscriptions.unsubscribe(connection, channel);
        return connection.send(replyTo(command, { channel }));
      }
      case "chat.send": {
        const { channel, content, reply_to_id: replyToId = null, nonce = null } = command.params;
        const streamId = roomIn(channel);
        const sender = requireHolder(connection);
        await requireRoomSoon(streamId);
        if (isCommand(content)) {
          const moderating = { streamId, by: sender.userId, origin: originOf(connection), nonce };
          const text = { text: content, path: CONTENT_PATH };
          const hasRun = await soon(gateway.moderation.ranAsCommand(moderating, text, sender.grant));
          if (hasRun) return connection.send(replyTo(command, { held: false, success: true }));
        }
        const outcome = await soon(
          gateway.rooms.send({
            streamId,
            sender,
            content,
            contentPath: CONTENT_PATH,
            replyToId,
            nonce,
            arrivedAt,
          }),
        );
        if (outcome.ok) {
          const { epoch, seq, message } = outcome;
          return connection.send(replyTo(command, { epoch, seq, message }));
        }
        if (outcome.code !== "held") throw ServiceError.of(outcome);
        return connection.send(replyTo(command, { held: true, id: outcome.id }));
      }
      case "chat.delete": {
        const { channel, uuid } = command.params;
        const streamId = roomIn(channel);
        const { userId } = requireHolder(connection);
        await requireRoomSoon(streamId);
        const origin = originOf(connection);
        await soon(gateway.moderation.deleteMessage({ streamId, by: userId, origin, uuid }));
        return connection.send(replyTo(command, { success: true }));
      }
      case "chat.command": {
        const { channel, command: typed } = command.params;
        const streamId = roomIn(channel);
        const { userId: by, grant } = requireHolder(connection);
        await requireRoomSoon(streamId);
        const moderating = { streamId, by, origin: originOf(connection) };
        const text = { text: typed, path: "/params/command" };
        await soon(gateway.moderation.command(moderating, text, grant));
        return connection.send(replyTo(command, { success: true }));
      }
      case "heartbeat": {
        const { stream_id: streamId, device_id: deviceId } = command.params;
        const viewer = viewerOf(connection, deviceId);
        await requireRoomSoon(streamId);
        const viewerCount = await soon(gateway.watching.heartbeat(streamId, viewer));
        return connection.send(replyTo(command, { viewer_count: viewerCount }));
      }
      case "ping":
        return connection.send(
          replyTo(command, { server_time: new Date(gateway.clock.now()).toISOString() }),
        );
    }
  }

  /**
   * Catches everything: an unavailable store is answered as `unavailable`, any other error that isn't a ServiceError as
   * `internal`.
   */
  async function answer(connection: Connection, command: Command, due: Due): Promise<void> {
    if (!connection.isOpen) return;
    try {
      requireBeforeDeadline(due.deadline);
      requireScopes(connection.holder, scopesOf(command, connection.holder), streamIdOf(command));
      await run(connection, command, due);
    } catch (err) {
      refuse(connection, command, asServiceError(err, log));
    }
  }

  return {
    receive(connection: Connection, frame: string | null): void {
      const reading = frame === null ? null : readCommand(frame);
      if (!reading?.ok) {
        const errors = reading?.problems ?? [{ path: "", rule: "type", message: "must be a text frame" }];
        const error = invalid(...errors);
        refuse(connection, { method: "none", id: reading?.id ?? null }, error);
        connection.countProblem();
        return;
      }
      const { command } = reading;
      const due = { arrivedAt: performance.now(), deadline: newDeadline() };
      const tooMany = () => rateLimited(COMMANDS, 1_000);
      // Before anything else is done for it, since under overload there are most of these.
      const isSend = command.method === "chat.send";
      const overload = () => (isSend ? gateway.rooms.refusalOfSends() : null);
      const refusal = connection.mayCommand() ? overload() : tooMany();
      const work = () => answer(connection, command, due);
      if (refusal) refuse(connection, command, refusal);
      else if (!connection.inTurn(laneOf(command), work)) refuse(connection, command, tooMany());
    },
  };
}

/** Where a frame has a message's text. */
const CONTENT_PATH = "/params/content";
const COMMANDS = { bucket: "commands", limit: COMMANDS_PER_SECOND, windowSeconds: 1 };

/** By performance.now(): when a command came, and until when it is to be answered. */
type Due = { arrivedAt: number; deadline: number };

function scopesOf(command: Command, holder: TicketHolder | null): NeededScopes | undefined {
  if (command.method === "subscribe") return scopesOfTopic(command.params.channel, holder);
  return COMMAND_SCOPES[command.method];
}

/** The stream whose room or viewers a command is about; null for none. */
function streamIdOf(command: Command): string | null {
  switch (command.method) {
    case "heartbeat":
      return command.params.stream_id;
    case "ping":
      return null;
    default:
      return command.params.channel.split(":")[1] ?? null;
  }
}

/**
 * The lane in which a command runs. Commands that may wait for MongoDB have lanes of their own, so that they block no
 * others; a channel's subscriptions and messages, `/me` included, share the channel's lane.
 */
function laneOf(command: Command): string {
  switch (command.method) {
    case "chat.send":
      return isCommand(command.params.content) ? "chat.command" : command.params.channel;
    case "subscribe":
    case "unsubscribe":
      return command.params.channel;
    case "heartbeat":
      return `heartbeat:${command.params.stream_id}`;
    case "chat.delete":
    case "chat.command":
    case "ping":
      return command.method;
  }
}

/** A socket has no request id: the connection's id stands for everything that arrives on it. */
const originOf = ({ id, ip }: Connection): Origin => ({ ip, userAgent: null, requestId: id });

function requireHolder(connection: Connection): TicketHolder {
  if (!connection.holder) throw new ServiceError("auth_required");
  return connection.holder;
}

function roomIn(channel: string): string {
  const streamId = streamIdIn(channel, "chat");
  if (streamId) return streamId;
  throw missing("/params/channel", "must be chat:<stream_id>");
}

function viewerOf({ holder, ip }: Connection, deviceId: string | undefined) {
  if (holder) return { userId: holder.userId };
  if (deviceId === undefined) throw missing("/params/device_id", "is required without signing in");
  return { deviceId, ip };
}

function missing(path: string, message: string): ServiceError {
  return invalid({ path, rule: "required", message });
}
