import { type ErrorCode, isErrorCode, type Refusal } from "../../../specs/contract/errors.ts";
import { onRedis } from "../../../store/redis/connect.ts";
import { keys, shardOf } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { fieldsOf, scriptAt } from "../../../store/redis/scripts/script.ts";

const script = scriptAt(new URL("./admit.lua", import.meta.url));

/** What the rules look at. */
export type Admission = {
  streamId: string;
  userId: string;
  /** Null for who speaks without a session. */
  sessionId: string | null;
  textHash: string;
  normalisedHash: string;
  emotesOnly: boolean;
  /** Unix ms; 0 for one who doesn't follow, null when it wasn't looked up: the script may know it from before. */
  followsSince: number | null;
  nonce: string | null;
  /** What never changes of the room, as workers read it from Redis. */
  identity: string;
  runId: string;
  /** Null: the server's own time. */
  nowMs: number | null;
  backlogLimit: number;
};

/** The finished event but for its seq, which goes between the two; `uuid` is its message's. */
export type AdmittedEvent = { uuid: string; prefix: string; suffix: string };

type Undecided =
  /** `suffix` is the one of the first time. */
  | { kind: "repeated"; epoch: number; seq: number; suffix: string }
  | { kind: "stateMissing" }
  | { kind: "otherServer" }
  | { kind: "needsFollow" }
  | { kind: "refused"; refusal: Refusal };

export type AdmissionReply = Undecided | { kind: "admitted"; epoch: number; seq: number };
/** `passed`: nothing speaks against it now. */
export type AdmissionLook = Undecided | { kind: "passed" };

export async function admit(
  redis: RedisConnection,
  admission: Admission,
  event: AdmittedEvent,
): Promise<AdmissionReply> {
  const reply = read(await run(redis, admission, event));
  if (reply.kind === "passed") throw new Error("admit.lua only looked.");
  return reply;
}

/** Whether a message would be admitted now, whatever its text; writes nothing. */
export async function mayAdmit(redis: RedisConnection, admission: Admission): Promise<AdmissionLook> {
  const reply = read(await run(redis, admission, null));
  if (reply.kind === "admitted") throw new Error("admit.lua admitted what it should only look at.");
  return reply;
}

async function run(
  redis: RedisConnection,
  admission: Admission,
  event: AdmittedEvent | null,
): Promise<string[]> {
  const { streamId, userId, nonce, nowMs, followsSince } = admission;
  return fieldsOf(
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
        keys.roomPositions(streamId),
        keys.roomDeleted(streamId),
        keys.roomActors(streamId),
        keys.roomIdentity(streamId),
      ],
      [
        admission.runId,
        nowMs === null ? "" : String(nowMs),
        streamId,
        userId,
        event?.uuid ?? "",
        event?.prefix ?? "",
        event?.suffix ?? "",
        admission.textHash,
        admission.normalisedHash,
        admission.emotesOnly ? "1" : "0",
        followsSince === null ? "" : String(followsSince),
        nonce === null ? "0" : "1",
        String(admission.backlogLimit),
        admission.sessionId ?? "",
        event === null ? "1" : "0",
        admission.identity,
      ],
    ),
  );
}

/** After somebody stopped following the channel: it is looked up anew for the next message. Throws unavailable. */
export async function forgetFollow(redis: RedisConnection, streamId: string, userId: string): Promise<void> {
  await onRedis(() => redis.del(keys.roomFollow(streamId, userId)));
}

function read([kind, first = "", second = "", ...more]: string[]): AdmissionReply | AdmissionLook {
  switch (kind) {
    case "ok":
      return { kind: "admitted", epoch: Number(first), seq: Number(second) };
    case "repeat": {
      const [epoch = "", seq = ""] = first.split(":", 2);
      const suffix = first.slice(epoch.length + seq.length + 2);
      return { kind: "repeated", epoch: Number(epoch), seq: Number(seq), suffix };
    }
    case "may":
      return { kind: "passed" };
    case "missing":
      return { kind: "stateMissing" };
    case "run":
      return { kind: "otherServer" };
    case "follow":
      return { kind: "needsFollow" };
    case "no":
      if (isErrorCode(first)) return { kind: "refused", refusal: refusalOf(first, second, more) };
  }
  throw new Error(`admit.lua answered ${kind} ${first}`);
}

function refusalOf(
  code: ErrorCode,
  waitMs: string,
  [minutes = "", limit = "", seconds = ""]: string[],
): Refusal {
  const wait = { retry_after_ms: Number(waitMs) };
  const used = { limit: Number(limit), window_seconds: Number(seconds) };
  switch (code) {
    case "timed_out":
    case "duplicate_message":
    case "unavailable":
      return { code, details: wait };
    case "rate_limited":
      return { code, details: { ...wait, bucket: "chat", ...used } };
    case "slow_mode":
      return { code, details: { ...wait, bucket: "slow_mode", ...used } };
    case "followers_only":
      return { code, details: { minutes: Number(minutes), ...(waitMs === "" ? {} : wait) } };
    default:
      return { code } as Refusal;
  }
}
