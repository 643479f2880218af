import { ServiceError } from "../../specs/contract/errors.ts";
import { type Command, readCommand } from "../../specs/contract/frames.ts";
import type { Log } from "../../store/log.ts";
import type { Connection } from "./connection.ts";
import { refusalOf, replyTo } from "./frames.ts";
import { type Subscriptions, streamIdIn } from "./subscriptions.ts";
import type { GatewayDeps, TicketHolder } from "./types.ts";

/** What clients ask for over the socket: one object a frame, answered by `reply` with the same id. */
export function createCommands(deps: {
  gateway: Pick<GatewayDeps, "rooms" | "watching" | "moderation">;
  subscriptions: Subscriptions;
  log: Log;
}) {
  const { gateway, subscriptions, log } = deps;

  async function run(connection: Connection, command: Command): Promise<void> {
    const { id } = command;
    switch (command.method) {
      case "subscribe": {
        const { channel, after = null } = command.params;
        return subscriptions.subscribe(connection, channel, after, [replyTo(id, { channel })]);
      }
      case "unsubscribe": {
        const { channel } = command.params;
        subscriptions.unsubscribe(connection, channel);
        return connection.send(replyTo(id, { channel }));
      }
      case "chat.send": {
        const { channel, content, reply_to_id: replyToId = null, nonce = null } = command.params;
        const streamId = requireRoom(channel);
        const sender = requireHolder(connection);
        const outcome = await gateway.rooms.send({ streamId, sender, content, replyToId, nonce });
        if (!outcome.ok) throw new ServiceError(outcome.code, outcome.details);
        const { epoch, seq, message } = outcome;
        return connection.send(replyTo(id, { epoch, seq, message }));
      }
      case "chat.delete": {
        const { channel, uuid } = command.params;
        const streamId = requireRoom(channel);
        const { userId } = requireHolder(connection);
        await gateway.moderation.deleteMessage({ streamId, by: userId, uuid });
        return connection.send(replyTo(id, { success: true }));
      }
      case "heartbeat": {
        const { stream_id: streamId, device_id: deviceId } = command.params;
        const viewerCount = await gateway.watching.heartbeat(streamId, viewerOf(connection, deviceId));
        return connection.send(replyTo(id, { viewer_count: viewerCount }));
      }
      case "ping":
        return connection.send(replyTo(id, { server_time: new Date().toISOString() }));
    }
  }

  /** The only place of the gateway that catches all: what isn't a ServiceError is told as `internal`. */
  async function answer(connection: Connection, command: Command): Promise<void> {
    if (!connection.isOpen) return;
    try {
      await run(connection, command);
    } catch (err) {
      connection.send(refusalOf(command.id, asServiceError(err, log)));
    }
  }

  return {
    receive(connection: Connection, frame: string | null): void {
      const reading = frame === null ? null : readCommand(frame);
      if (!reading?.ok) {
        const errors = reading?.problems ?? [{ path: "", rule: "type", message: "must be a text frame" }];
        connection.send(refusalOf(reading?.id ?? null, new ServiceError("validation_failed", { errors })));
        connection.countProblem();
        return;
      }
      const { command } = reading;
      if (!connection.mayCommand() || !connection.inTurn(() => answer(connection, command))) {
        const error = new ServiceError("rate_limited", { bucket: "commands", retry_after_ms: 1_000 });
        connection.send(refusalOf(command.id, error));
      }
    },
  };
}

export type Commands = ReturnType<typeof createCommands>;

export function asServiceError(err: unknown, log: Log): ServiceError {
  if (err instanceof ServiceError) return err;
  log.error({ err }, "a socket's command failed");
  return new ServiceError("internal");
}

function requireHolder(connection: Connection): TicketHolder {
  if (!connection.holder) throw new ServiceError("auth_required");
  return connection.holder;
}

function requireRoom(channel: string): string {
  const streamId = streamIdIn(channel, "chat");
  if (streamId) return streamId;
  throw invalid("/params/channel", "must be chat:<stream_id>");
}

function viewerOf({ holder, ip }: Connection, deviceId: string | undefined) {
  if (holder) return { userId: holder.userId };
  if (deviceId === undefined) throw invalid("/params/device_id", "is required without signing in");
  return { deviceId, ip };
}

function invalid(path: string, text: string): ServiceError {
  return new ServiceError("validation_failed", { errors: [{ path, rule: "required", message: text }] });
}
