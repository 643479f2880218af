import { MINUTE_MS } from "../../base/durations.ts";
import type { ChatMessage, HeldMessage } from "../../contract/wire.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { keys, shardOf } from "../../store/redis/keys.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { TermVerdict } from "./config/terms.ts";
import { ephemeralEventText } from "./control.ts";
import type { HeldDraft } from "./scripts/admit.ts";

/** How long moderators may decide, as admit.lua has it. */
export const HELD_MS = 5 * MINUTE_MS;

/** The `matchedTerm` of a message that shield mode holds because of a link. */
const LINK = "link";

/** For a message that no rule can hold. */
export const NOT_HELD: HeldDraft = { id: "", json: "", notice: "" };

/** A held message as Redis stores it: the message that it becomes, and the term that it was held for. */
export type HeldRecord = { message: ChatMessage; matchedTerm: string };

/** The message as it would be stored if held; it keeps its id when it is approved. */
export function heldDraft(streamId: string, message: ChatMessage, verdict: TermVerdict | null): HeldDraft {
  const record: HeldRecord = { message, matchedTerm: verdict?.term ?? LINK };
  return {
    id: message.uuid,
    json: JSON.stringify(record),
    notice: ephemeralEventText(streamId, { type: "mod.held", data: heldView(record) }),
  };
}

/** A held message, and until when it can be approved or denied. */
export type PendingMessage = { expiresMs: number; record: HeldRecord };

/** Held messages as stored in Redis, including decided ones that aren't removed yet. Every method throws unavailable. */
export function createHeldMessages(redis: RedisConnection) {
  return {
    /** A room's messages that haven't expired at `nowMs`, oldest first. */
    async of(streamId: string, nowMs: number): Promise<HeldRecord[]> {
      const kept = await onRedis(() => redis.hvals(keys.roomHeld(streamId)));
      return kept
        .map(heldRecordIn)
        .flatMap(({ expiresMs, record }) => (expiresMs > nowMs ? [record] : []))
        .sort((a, b) => a.message.timestamp - b.message.timestamp);
    },

    /** In the order of `ids`; null for each that is gone. */
    async find(streamId: string, ids: readonly string[]): Promise<(PendingMessage | null)[]> {
      if (ids.length === 0) return [];
      const kept = await onRedis(() => redis.hmget(keys.roomHeld(streamId), ...ids));
      return kept.map((value) => (value === null ? null : heldRecordIn(value)));
    },

    /** At most `limit` messages of a shard's rooms that have expired at `nowMs`, in the order of expiry. */
    async due(shard: number, nowMs: number, limit: number): Promise<{ streamId: string; id: string }[]> {
      const due = await onRedis(() =>
        redis.zrangebyscore(keys.shardHeld(shard), "-inf", nowMs, "LIMIT", 0, limit),
      );
      return due.map((entry) => {
        const [streamId = "", id = ""] = entry.split(" ");
        return { streamId, id };
      });
    },

    /** Removes messages that were decided about. */
    async drop(streamId: string, ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      const entries = ids.map((id) => `${streamId} ${id}`);
      await onRedis(() => redis.hdel(keys.roomHeld(streamId), ...ids));
      await onRedis(() => redis.zrem(keys.roomHeldActs(streamId), ...ids));
      await onRedis(() => redis.zrem(keys.shardHeld(shardOf(streamId)), ...entries));
    },
  };
}

export type HeldMessages = ReturnType<typeof createHeldMessages>;

/** In the format that admit.lua writes. */
function heldRecordIn(value: string): PendingMessage {
  const space = value.indexOf(" ");
  return { expiresMs: Number(value.slice(0, space)), record: JSON.parse(value.slice(space + 1)) };
}

export function heldView({ message, matchedTerm }: HeldRecord): HeldMessage {
  const { uuid, user_id, username, content, type, act, timestamp } = message;
  const held = { id: uuid, user_id, username, content, type, matched_term: matchedTerm, timestamp };
  return act ? { ...held, act } : held;
}
