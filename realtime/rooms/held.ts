import type { ChatMessage, HeldMessage } from "../../specs/contract/wire.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { keys, shardOf } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { TermVerdict } from "./config/terms.ts";
import { ephemeralEventText } from "./control.ts";
import type { HeldDraft } from "./scripts/admit.ts";

/** What a link is called that shield mode holds. */
const LINK = "link";

/** Of a message that nothing can hold. */
export const NOT_HELD: HeldDraft = { id: "", json: "", notice: "" };

/** A held message as the room keeps it: the message that it becomes, and what it was held for. */
export type HeldRecord = { message: ChatMessage; matchedTerm: string };

/** The message as it would be held; its id stays when it is let through. */
export function heldDraft(streamId: string, message: ChatMessage, verdict: TermVerdict | null): HeldDraft {
  const record: HeldRecord = { message, matchedTerm: verdict?.term ?? LINK };
  return {
    id: message.uuid,
    json: JSON.stringify(record),
    notice: ephemeralEventText(streamId, { type: "mod.held", data: heldView(record) }),
  };
}

/** A held message, and until when it may be decided about. */
export type Waiting = { expiresMs: number; record: HeldRecord };

/** Held messages as Redis has them, whatever was decided about them. Everything throws unavailable. */
export function createHeldMessages(redis: RedisConnection) {
  return {
    /** Those of a room that haven't expired at `nowMs`, the oldest first. */
    async of(streamId: string, nowMs: number): Promise<HeldRecord[]> {
      const kept = await onRedis(() => redis.hvals(keys.roomHeld(streamId)));
      return kept
        .map(heldRecordIn)
        .flatMap(({ expiresMs, record }) => (expiresMs > nowMs ? [record] : []))
        .sort((a, b) => a.message.timestamp - b.message.timestamp);
    },

    /** In the order of the ids; null for one that isn't there any more. */
    async find(streamId: string, ids: readonly string[]): Promise<(Waiting | null)[]> {
      if (ids.length === 0) return [];
      const kept = await onRedis(() => redis.hmget(keys.roomHeld(streamId), ...ids));
      return kept.map((value) => (value === null ? null : heldRecordIn(value)));
    },

    /** Of a shard's rooms, at most `limit` whose time is over at `nowMs`, by when it was. */
    async due(shard: number, nowMs: number, limit: number): Promise<{ streamId: string; id: string }[]> {
      const due = await onRedis(() =>
        redis.zrangebyscore(keys.shardHeld(shard), "-inf", nowMs, "LIMIT", 0, limit),
      );
      return due.map((entry) => {
        const [streamId = "", id = ""] = entry.split(" ");
        return { streamId, id };
      });
    },

    /** What was decided about waits no more. */
    async drop(streamId: string, ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      const entries = ids.map((id) => `${streamId} ${id}`);
      await onRedis(() => redis.hdel(keys.roomHeld(streamId), ...ids));
      await onRedis(() => redis.zrem(keys.shardHeld(shardOf(streamId)), ...entries));
    },
  };
}

export type HeldMessages = ReturnType<typeof createHeldMessages>;

/** As admit.lua keeps it. */
function heldRecordIn(value: string): Waiting {
  const space = value.indexOf(" ");
  return { expiresMs: Number(value.slice(0, space)), record: JSON.parse(value.slice(space + 1)) };
}

export function heldView({ message, matchedTerm }: HeldRecord): HeldMessage {
  const { uuid, user_id, username, content, timestamp } = message;
  return { id: uuid, user_id, username, content, matched_term: matchedTerm, timestamp };
}
