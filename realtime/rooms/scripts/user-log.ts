import { type Position, positionOfId } from "../../../base/room-position.ts";
import { keys } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { fieldsOf, scriptAt } from "../../../store/redis/scripts/script.ts";
import type { ServerRun } from "../../../store/redis/server-run.ts";

const script = scriptAt(new URL("./user-log.lua", import.meta.url));
const sinceScript = scriptAt(new URL("./user-log-since.lua", import.meta.url));

/** An event for one user; `data` is complete JSON. */
export type UserLogEvent = Position & { type: string; data: string };

export type UserEventDraft = {
  userId: string;
  /** Dedupe key: the same for a repeat of the event, and for no other event of the user. */
  source: string;
  type: string;
  data: string;
  /** Which object's state the event carries, and that state's version. */
  version: { of: string; number: number } | null;
};

/** "stale": the log has it, or a later version; "early": earlier versions are missing, and nothing was appended. */
export type UserLogReply = { kind: "appended" | "stale"; position: Position } | { kind: "early" };

const keysOf = (userId: string) => [keys.userHead(userId), keys.userLog(userId), keys.userSeen(userId)];

/** Throws unavailable; then it may have been appended nevertheless. */
export async function appendUserEvent(
  { id, node }: ServerRun,
  { userId, source, type, data, version }: UserEventDraft,
  { pastGap }: { pastGap: boolean },
): Promise<UserLogReply> {
  const versioned = version ? [version.of, String(version.number), pastGap ? "1" : "0"] : ["", "", ""];
  const [kind, epoch, seq] = fieldsOf(
    await script(node, keysOf(userId), [id, source, type, data, ...versioned]),
  );
  if (kind === "early") return { kind };
  return {
    kind: kind === "ok" ? "appended" : "stale",
    position: { epoch: Number(epoch), seq: Number(seq) },
  };
}

/** The head of a user's log; creates the log if there is none. */
export async function openUserLog({ id, node }: ServerRun, userId: string): Promise<Position> {
  const [, epoch, seq] = fieldsOf(await script(node, keysOf(userId), [id, "", "", "", "", "", ""]));
  return { epoch: Number(epoch), seq: Number(seq) };
}

/**
 * What a log has after a position. `isHeld`: it still has the event at that position itself; `bytes`: what was read of events, that
 * one included.
 */
export type UserLogSince = { head: Position; isHeld: boolean; events: UserLogEvent[]; bytes: number };

/** Null without a log. `onlyContinued`: no event is read when some after the position are gone. */
export async function readUserLog(
  redis: RedisConnection,
  userId: string,
  after: Position,
  { onlyContinued }: { onlyContinued: boolean },
): Promise<UserLogSince | null> {
  const keysRead = [keys.userHead(userId), keys.userLog(userId)];
  const [epoch, seq, ...fields] = fieldsOf(
    await sinceScript(redis, keysRead, [String(after.epoch), String(after.seq), onlyContinued ? "1" : "0"]),
  );
  if (epoch === undefined) return null;
  const events: UserLogEvent[] = [];
  let isHeld = false;
  let bytes = 0;
  for (let i = 0; i < fields.length; i += 3) {
    const [id, type = "", data = ""] = fields.slice(i, i + 3);
    const position = positionOfId(id);
    if (!position) throw new Error("The log of a user's events has another form.");
    bytes += Buffer.byteLength(type) + Buffer.byteLength(data);
    if (position.epoch === after.epoch && position.seq === after.seq) isHeld = true;
    else events.push({ ...position, type, data });
  }
  return { head: { epoch: Number(epoch), seq: Number(seq) }, isHeld, events, bytes };
}
