import type { Log } from "../../../base/log.ts";
import { isForEverybody } from "../../../contract/frames.ts";
import type { Connection } from "../socket/connection.ts";
import { frameOf, message, relayed } from "../socket/frames.ts";
import { mayModerate } from "../socket/scopes.ts";
import type { ChatMembers } from "./chat-members.ts";
import { ownStateOf } from "./initial-state.ts";
import { isModerating, type MemberStates } from "./member-state.ts";

const CONFLATE_MS = 500;
/** How often due values are sent. */
const TICK_MS = 50;

/** What alerts need besides what everybody gets. */
const FOLLOWED = "channel.followed";

type Latest = { frame: Buffer; topic: string };

/**
 * Events for a room's sockets that aren't in its log: the latest state of a value at most twice a second, moderation events
 * for moderators, new followers for them and for overlays, and the user's own state for the target of a moderation action.
 */
export function createEphemeralEvents(deps: {
  memberStates: MemberStates;
  members: ChatMembers;
  hasRoom(streamId: string): boolean;
  publish(topic: string, frame: Buffer): void;
  log: Log;
}) {
  const { memberStates, members, hasRoom, publish, log } = deps;
  // Bounded by the rooms that this worker follows. `sentAt` has what was sent within the last half second, oldest first.
  const waiting = new Map<string, Latest>();
  const sentAt = new Map<string, number>();

  function send(key: string, { topic, frame }: Latest): void {
    sentAt.set(key, performance.now());
    publish(topic, frame);
  }

  const timer = setInterval(() => {
    const now = performance.now();
    for (const [key, at] of sentAt) {
      if (now - at < CONFLATE_MS) break;
      sentAt.delete(key);
      const latest = waiting.get(key);
      if (!latest) continue;
      waiting.delete(key);
      send(key, latest);
    }
  }, TICK_MS);

  /** The role is read again: a user who has lost it since joining, or has left, gets nothing more. */
  async function sendToModerator(connection: Connection, streamId: string, frame: string): Promise<void> {
    if (!mayModerate(connection.holder, streamId)) return;
    const state = await memberStates.of(streamId, connection.holder?.userId ?? null);
    if (isModerating(state) && connection.channels.has(`chat:${streamId}`)) connection.send(frame);
  }

  /** An action took effect before it was published, so the state that is read now includes it. */
  async function sendStateToTarget(streamId: string, userId: string): Promise<void> {
    const own = members.ofUser(streamId, userId);
    if (own.length === 0) return;
    const state = await memberStates.of(streamId, userId);
    const text = message("room.standing", `chat:${streamId}`, ownStateOf(state));
    for (const member of own) {
      member.isModerator = isModerating(state);
      if (member.connection.channels.has(`chat:${streamId}`)) member.connection.send(text);
    }
  }

  /** `targetId`: whom an action is about; null for other events. */
  async function deliverToModerators(
    streamId: string,
    frame: string,
    targetId: string | null,
  ): Promise<void> {
    if (targetId !== null) await orWarn(streamId, sendStateToTarget(streamId, targetId));
    for (const connection of members.moderatorsIn(streamId))
      await orWarn(streamId, sendToModerator(connection, streamId, frame));
  }

  /** A failure for one socket doesn't affect the others. */
  async function orWarn(streamId: string, sending: Promise<void>): Promise<void> {
    try {
      await sending;
    } catch (err) {
      log.warn({ err, streamId }, "room event not sent to a socket");
    }
  }

  return {
    receive(streamId: string, { type, data }: { type: string; data: unknown }): void {
      if (!hasRoom(streamId)) return;
      const topic = `chat:${streamId}`;
      const text = relayed(type, topic, data);
      if (!isForEverybody(type)) {
        if (type === FOLLOWED) for (const overlay of members.activityOverlaysIn(streamId)) overlay.send(text);
        void deliverToModerators(streamId, text, type === "mod.action" ? targetOf(data) : null);
        return;
      }
      const key = `${topic} ${type} ${partOf(data)}`;
      const latest = { topic, frame: frameOf(text) };
      if (sentAt.has(key)) waiting.set(key, latest);
      else send(key, latest);
    },
    /** The user's role has changed in all rooms. */
    roleChanged(userId: string): void {
      for (const streamId of members.rooms()) void orWarn(streamId, sendStateToTarget(streamId, userId));
    },
    stop: () => clearInterval(timer),
  };
}

/** The part of a value that an event is about, if any: the latest event of each part is sent. */
function partOf(data: unknown): string {
  const part = typeof data === "object" && data !== null && "changed" in data ? data.changed : null;
  return typeof part === "string" ? part : "";
}

/** The id of the user that a ModerationAction is about; null when it is about the room. */
function targetOf(action: unknown): string | null {
  const target = typeof action === "object" && action !== null && "target" in action ? action.target : null;
  const id = typeof target === "object" && target !== null && "id" in target ? target.id : null;
  return typeof id === "string" ? id : null;
}
