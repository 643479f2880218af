import type { Redis } from "ioredis";
import { type ErrorCode, type ErrorDetails, isErrorCode } from "../../../specs/contract/errors.ts";
import { keys, shardOf } from "../keys.ts";
import { fieldsOf, scriptAt } from "./script.ts";

const script = scriptAt(new URL("./admit.lua", import.meta.url));

export type Admission = {
  streamId: string;
  userId: string;
  uuid: string;
  /** The finished event but for its seq, which goes between the two. */
  prefix: string;
  suffix: string;
  textHash: string;
  normalisedHash: string;
  emotesOnly: boolean;
  /** Unix ms; 0 for one who doesn't follow, null when it wasn't looked up. */
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

export async function admit(redis: Redis, admission: Admission): Promise<AdmissionReply> {
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
      ],
    ),
  );
  return read(reply);
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
