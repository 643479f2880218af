import { type ErrorCode, type ErrorDetails, isErrorCode } from "../../../specs/contract/errors.ts";
import { onRedis } from "../connect.ts";
import { keys, shardOf } from "../keys.ts";
import type { RedisConnection } from "../nodes.ts";
import { fieldsOf, scriptAt } from "./script.ts";

const script = scriptAt(new URL("./admit.lua", import.meta.url));

export type Admission = {
  streamId: string;
  userId: string;
  /** Null for who speaks without a session. */
  sessionId: string | null;
  uuid: string;
  /** The finished event but for its seq, which goes between the two. */
  prefix: string;
  suffix: string;
  textHash: string;
  normalisedHash: string;
  emotesOnly: boolean;
  /** Unix ms; 0 for one who doesn't follow, null when it wasn't looked up: the script may know it from before. */
  followsSince: number | null;
  nonce: string | null;
  runId: string;
  /** Null: the server's own time. */
  nowMs: number | null;
  backlogLimit: number;
};

export type AdmissionReply =
  | { kind: "admitted"; epoch: number; seq: number }
  /** `suffix` is the one of the first time. */
  | { kind: "repeated"; epoch: number; seq: number; suffix: string }
  | { kind: "stateMissing" }
  | { kind: "otherServer" }
  | { kind: "needsFollow" }
  | { kind: "refused"; code: ErrorCode; details: ErrorDetails };

export async function admit(redis: RedisConnection, admission: Admission): Promise<AdmissionReply> {
  const { streamId, userId, nonce, nowMs, followsSince } = admission;
  const reply = fieldsOf(
    await script(
      redis,
      [
        keys.roomState(streamId),
        keys.roomUser(streamId, userId),
        keys.roomUnique(streamId),
        keys.roomNonce(streamId, userId, nonce ?? ""),
        keys.roomLog(streamId),
        keys.shardLive(shardOf(streamId)),
        keys.shardEnded(shardOf(streamId)),
        keys.roomFollow(streamId, userId),
      ],
      [
        admission.runId,
        nowMs === null ? "" : String(nowMs),
        streamId,
        userId,
        admission.uuid,
        admission.prefix,
        admission.suffix,
        admission.textHash,
        admission.normalisedHash,
        admission.emotesOnly ? "1" : "0",
        followsSince === null ? "" : String(followsSince),
        nonce === null ? "0" : "1",
        String(admission.backlogLimit),
        admission.sessionId ?? "",
      ],
    ),
  );
  return read(reply);
}

/** After somebody stopped following the channel: the next message asks anew. Throws unavailable. */
export async function forgetFollow(redis: RedisConnection, streamId: string, userId: string): Promise<void> {
  await onRedis(() => redis.del(keys.roomFollow(streamId, userId)));
}

function read([kind, first = "", second = "", third = ""]: string[]): AdmissionReply {
  switch (kind) {
    case "ok":
      return { kind: "admitted", epoch: Number(first), seq: Number(second) };
    case "repeat": {
      const [epoch = "", seq = ""] = first.split(":", 2);
      const suffix = first.slice(epoch.length + seq.length + 2);
      return { kind: "repeated", epoch: Number(epoch), seq: Number(seq), suffix };
    }
    case "missing":
      return { kind: "stateMissing" };
    case "run":
      return { kind: "otherServer" };
    case "follow":
      return { kind: "needsFollow" };
    case "no":
      if (isErrorCode(first)) return { kind: "refused", code: first, details: detailsOf(second, third) };
  }
  throw new Error(`admit.lua answered ${kind} ${first}`);
}

function detailsOf(waitMs: string, minutes: string): ErrorDetails {
  return {
    ...(waitMs === "" ? {} : { retry_after_ms: Number(waitMs) }),
    ...(minutes === "" ? {} : { minutes: Number(minutes) }),
  };
}
