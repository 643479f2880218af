import type { ChatPlace } from "../../../store/mongo/chat-messages.ts";
import { keys, shardOf } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { fieldsOf, scriptAt } from "../../../store/redis/scripts/script.ts";

const script = scriptAt(new URL("./publish.lua", import.meta.url));

/** An effect as the script takes it: kind and two arguments, "" where there is none. */
export type PackedEffect = readonly [kind: string, a: string, b: string];

export type Publication = {
  streamId: string;
  source: { ref: string; version: number; n: number };
  prefix: string;
  suffix: string;
  /** False for an event that has effects but is no part of the log. */
  append: boolean;
  /** What all workers are told beside the log, as text for `keys.control`; null for nothing. */
  notice: string | null;
  /** What the archive has to do, as JSON; null for nothing. */
  archiveEffects: string | null;
  effects: readonly PackedEffect[];
  runId: string;
  nowMs: number | null;
};

export type PublicationReply =
  | { kind: "published"; epoch: number; seq: number }
  /** `cleared`: up to where the room is; `hidden`: up to where those are whom the event bans, by user. */
  | { kind: "stale"; cleared: ChatPlace | null; hidden: ReadonlyMap<string, ChatPlace> }
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
        keys.roomPlaces(streamId),
        keys.roomIdentity(streamId),
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
        publication.archiveEffects ?? "",
        keys.control,
        publication.notice ?? "",
        ...publication.effects.flat(),
      ],
    ),
  );
  switch (kind) {
    case "ok":
      return { kind: "published", epoch: Number(first), seq: Number(more[0]) };
    case "stale":
      return { kind: "stale", cleared: placeIn(first), hidden: placesIn(more) };
    case "missing":
      return { kind: "stateMissing" };
    case "run":
      return { kind: "otherServer" };
    default:
      throw new Error(`publish.lua answered ${kind}`);
  }
}

/** Of user, place, user, place… */
function placesIn(pairs: readonly string[]): Map<string, ChatPlace> {
  const places = new Map<string, ChatPlace>();
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const place = placeIn(pairs[i + 1] ?? "");
    if (place) places.set(pairs[i] ?? "", place);
  }
  return places;
}

function placeIn(id: string): ChatPlace | null {
  const [epoch, seq] = id.split("-");
  return epoch && seq ? { epoch: Number(epoch), seq: Number(seq) } : null;
}
