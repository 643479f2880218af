import { type Position, positionOfId } from "../../../base/room-position.ts";
import type { RoomStateChange } from "../../../store/mongo/host/room-state-change.ts";
import { keys, shardOf } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { fieldsOf, scriptAt } from "../../../store/redis/scripts/script.ts";
import { effectiveModes } from "../state/modes.ts";
import { CLOSED_MS, packModes } from "../state/state-hash.ts";

const script = scriptAt(new URL("./publish.lua", import.meta.url));

type Publication = {
  streamId: string;
  source: { ref: string; version: number; n: number };
  prefix: string;
  suffix: string;
  /** False for an event that has effects but isn't part of the log. */
  append: boolean;
  /** What is published to all workers besides the log, as text for `keys.control`; null for nothing. */
  notice: string | null;
  /** As `encodeRedactions` returns them. */
  redactions: string | null;
  effects: readonly RoomStateChange[];
  runId: string;
  nowMs: number | null;
};

type PublicationReply =
  | { kind: "published"; epoch: number; seq: number }
  /** `cleared`: the position up to which the room is cleared; `hidden`: the same for each user whom the event bans. */
  | { kind: "stale"; cleared: Position | null; hidden: ReadonlyMap<string, Position> }
  | { kind: "stateMissing" }
  | { kind: "otherServer" };

export async function publish(redis: RedisConnection, publication: Publication): Promise<PublicationReply> {
  const { streamId, source, nowMs } = publication;
  const [kind, first = "", ...more] = fieldsOf(
    await script(
      redis,
      [
        keys.roomState(streamId),
        keys.roomDeleted(streamId),
        keys.roomActors(streamId),
        keys.roomLog(streamId),
        keys.shardLive(shardOf(streamId)),
        keys.roomPositions(streamId),
        keys.roomIdentity(streamId),
        keys.roomHeld(streamId),
        keys.shardHeld(shardOf(streamId)),
        keys.roomConfig(streamId),
        keys.roomHeldActs(streamId),
        ...publication.effects.flatMap((effect) =>
          effect.kind === "member" ? [keys.roomMember(streamId, effect.userId)] : [],
        ),
      ],
      [
        publication.runId,
        nowMs === null ? "" : String(nowMs),
        streamId,
        source.ref,
        String(source.version),
        String(source.n),
        publication.prefix,
        publication.suffix,
        publication.append ? "1" : "0",
        publication.redactions ?? "",
        keys.control,
        publication.notice ?? "",
        ...publication.effects.flatMap(packed),
      ],
    ),
  );
  switch (kind) {
    case "ok":
      return { kind: "published", epoch: Number(first), seq: Number(more[0]) };
    case "stale":
      return { kind: "stale", cleared: positionOfId(first), hidden: positionsIn(more) };
    case "missing":
      return { kind: "stateMissing" };
    case "run":
      return { kind: "otherServer" };
    default:
      throw new Error(`publish.lua answered ${kind}`);
  }
}

/** From user, position, user, position… */
function positionsIn(pairs: readonly string[]): Map<string, Position> {
  const positions = new Map<string, Position>();
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const position = positionOfId(pairs[i + 1]);
    if (position) positions.set(pairs[i] ?? "", position);
  }
  return positions;
}

/** Kind and two arguments, "" where there is none. */
function packed(effect: RoomStateChange): [kind: string, a: string, b: string] {
  switch (effect.kind) {
    case "modes":
      return ["modes", packModes(effectiveModes(effect.modes)), ""];
    case "ban":
      return ["ban", effect.userId, String(effect.untilMs ?? 0)];
    case "unban":
      return ["unban", effect.userId, ""];
    case "role":
      return ["role", effect.userId, effect.role ?? ""];
    case "delete":
      return ["delete", effect.uuid, ""];
    case "clear":
      return ["clear", "", ""];
    case "standing":
      return effect.isOpen ? ["standing", "open", ""] : ["standing", "closed", String(CLOSED_MS)];
    case "config":
      return ["config", String(effect.version), ""];
    case "member":
      return ["member", effect.userId, ""];
    case "message":
      return ["message", effect.uuid, effect.authorId];
    case "resolved":
      return ["resolved", effect.heldId, ""];
  }
}
