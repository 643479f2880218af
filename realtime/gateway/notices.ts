import type { Log } from "../../store/log.ts";
import type { Rooms } from "../rooms/rooms.ts";
import { message } from "./frames.ts";
import type { Subscriptions } from "./subscriptions.ts";

const CONFLATE_MS = 500;

type Latest = { text: string; topic: string };

/** What reaches a room's sockets beside its log: the latest of a value at most twice a second, and moderators' news. */
export function createNotices(deps: {
  rooms: Rooms;
  subscriptions: Subscriptions;
  hasRoom(streamId: string): boolean;
  publish(topic: string, frame: string): void;
  log: Log;
}) {
  const { rooms, subscriptions, hasRoom, publish, log } = deps;
  // Bounded by the rooms that this worker follows, and emptied twice a second.
  const waiting = new Map<string, Latest>();
  const recent = new Set<string>();

  const timer = setInterval(() => {
    recent.clear();
    for (const [key, { topic, text }] of waiting) {
      publish(topic, text);
      recent.add(key);
    }
    waiting.clear();
  }, CONFLATE_MS);

  /** Asked afresh for each: whoever has lost the role since joining hears nothing more. */
  async function tellModerators(streamId: string, frame: string): Promise<void> {
    for (const connection of subscriptions.moderatorsIn(streamId)) {
      const { role } = await rooms.standing(streamId, connection.holder?.userId ?? null);
      if (role === "owner" || role === "moderator") connection.send(frame);
    }
  }

  return {
    receive(streamId: string, { type, data }: { type: string; data: unknown }): void {
      if (!hasRoom(streamId)) return;
      const topic = `chat:${streamId}`;
      const text = message(type, topic, data);
      if (type.startsWith("mod.")) {
        tellModerators(streamId, text).catch((err: unknown) =>
          log.warn({ err, streamId }, "telling moderators failed"),
        );
        return;
      }
      const key = `${topic} ${type}`;
      if (recent.has(key)) {
        waiting.set(key, { topic, text: `[${text}]` });
        return;
      }
      recent.add(key);
      publish(topic, `[${text}]`);
    },
    stop: () => clearInterval(timer),
  };
}
