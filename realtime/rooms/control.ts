import type { Log } from "../../base/log.ts";
import { isForEverybody } from "../../contract/frames.ts";
import { keys } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { createPubSub } from "./pubsub.ts";

/** Commands to all workers. */
export type ControlMessage =
  /** `sessionId` null: every session of the user. */
  | { type: "session.revoked"; userId: string; sessionId: string | null; reason: "ended" | "banned" }
  /** An ephemeral event: sent to a room's sockets, not stored in its log. */
  | { type: "room.notice"; streamId: string; event: { type: string; data: unknown } }
  /**
   * The same for moderators alone. Workers of the last release know them by their prefix `mod.` and would send others to everybody:
   * they drop a command that they don't know.
   */
  | { type: "room.moderatorNotice"; streamId: string; event: { type: string; data: unknown } };

export type Control = {
  publish(message: ControlMessage): Promise<number>;
  subscribe(handler: (message: ControlMessage) => void): Promise<() => void>;
  close(): Promise<void>;
};

/** An ephemeral event, encoded as it is published to the workers. */
export function ephemeralEventText(streamId: string, event: { type: string; data: unknown }): string {
  const isNew = !isForEverybody(event.type) && !event.type.startsWith("mod.");
  const message: ControlMessage = { type: isNew ? "room.moderatorNotice" : "room.notice", streamId, event };
  return JSON.stringify(message);
}

export function createControl({ redis, log }: { redis: RedisConnection; log: Log }): Control {
  return createPubSub<ControlMessage>({ redis, log, channel: keys.control, read });
}

function read(value: unknown): ControlMessage | null {
  if (typeof value !== "object" || value === null || !("type" in value)) return null;
  if (value.type === "session.revoked" && "userId" in value && "sessionId" in value) {
    const { userId, sessionId } = value;
    if (typeof userId !== "string" || (sessionId !== null && typeof sessionId !== "string")) return null;
    // Workers of the previous release don't send it.
    const reason = "reason" in value && value.reason === "banned" ? "banned" : "ended";
    return { type: "session.revoked", userId, sessionId, reason };
  }
  const { type } = value;
  if (
    (type === "room.notice" || type === "room.moderatorNotice") &&
    "streamId" in value &&
    "event" in value
  ) {
    const { streamId, event } = value;
    if (typeof streamId !== "string" || typeof event !== "object" || event === null) return null;
    if (!("type" in event) || !("data" in event) || typeof event.type !== "string") return null;
    return { type, streamId, event: { type: event.type, data: event.data } };
  }
  return null;
}
