import { keys, shardOf } from "../keys.ts";
import type { RedisConnection } from "../nodes.ts";
import { fieldsOf, scriptAt } from "./script.ts";

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
  /** What the archive has to do, as JSON; null for nothing. */
  archiveEffects: string | null;
  effects: readonly PackedEffect[];
  runId: string;
  nowMs: number | null;
};

export type PublicationReply =
  | { kind: "published"; epoch: number; seq: number }
  | { kind: "stale" }
  | { kind: "stateMissing" }
  | { kind: "otherServer" };

export async function publish(redis: RedisConnection, publication: Publication): Promise<PublicationReply> {
  const { streamId, source, nowMs } = publication;
  const [kind, epoch, seq] = fieldsOf(
    await script(
      redis,
      [
        keys.roomState(streamId),
        keys.roomDeleted(streamId),
        keys.roomActors(streamId),
        keys.roomLog(streamId),
        keys.shardLive(shardOf(streamId)),
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
        ...publication.effects.flat(),
      ],
    ),
  );
  switch (kind) {
    case "ok":
      return { kind: "published", epoch: Number(epoch), seq: Number(seq) };
    case "stale":
      return { kind: "stale" };
    case "missing":
      return { kind: "stateMissing" };
    case "run":
      return { kind: "otherServer" };
    default:
      throw new Error(`publish.lua answered ${kind}`);
  }
}
