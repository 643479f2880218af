import { type ErrorCode, isErrorCode, type Refusal } from "../../../contract/errors.ts";
import type { ActTextOutcome } from "../../../store/mongo/monetization/tips.ts";
import { onRedis } from "../../../store/redis/connect.ts";
import { keys, shardOf } from "../../../store/redis/keys.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";
import { fieldsOf, scriptAt } from "../../../store/redis/scripts/script.ts";
import type { Member } from "../config/members.ts";

const script = scriptAt(new URL("./admit.lua", import.meta.url));

const HELD_PREFIX = "held:";

/** The input of the rules. */
export type Admission = {
  streamId: string;
  userId: string;
  /** Null for a sender without a session. */
  sessionId: string | null;
  textHash: string;
  normalisedHash: string;
  emotesOnly: boolean;
  /** Unix ms; 0 when the sender doesn't follow, null when not looked up: the script may have it cached. */
  followsSince: number | null;
  nonce: string | null;
  /** The immutable part of the room, in the format that workers read from Redis. */
  identity: string;
  runId: string;
  /** Null: the Redis server's clock. */
  nowMs: number | null;
  /** How long ago the message arrived, ms: rates count by its arrival. */
  waitedMs: number;
  backlogLimit: number;
  /** Version of the configuration that the text was checked with. */
  configVersion: number;
  /** The sender as this worker knows them; `factsBefore`: what Redis had when the facts were loaded, null if they weren't. */
  member: Member & { factsBefore: string | null };
  verdict: "block" | "hold" | null;
  /** The refusal of a member who may not write, as the facts say. */
  barredBy: "blocked" | "not_found" | null;
  hasLink: boolean;
  /** Whether the sender has chatted here before; null when not looked up. */
  hasChatted: boolean | null;
  /** The message as moderators get it if it is held. */
  held: HeldDraft;
  /** Set for a text that goes with an act or names something: then rates and most modes don't apply. */
  act: { source: { ref: string; version: number; n: number } | null } | null;
};

/** `json` is what is stored, `notice` what is published to all workers. */
export type HeldDraft = { id: string; json: string; notice: string };

/** The complete event except for its seq, which goes between the two; `uuid` is that of its message. */
type AdmittedEvent = { uuid: string; prefix: string; suffix: string };

type Undecided =
  /** `suffix` is that of the first send. */
  | { kind: "repeated"; epoch: number; seq: number; suffix: string }
  | { kind: "stateMissing" }
  | { kind: "otherServer" }
  /** Already held, with this nonce. */
  | { kind: "heldBefore"; id: string }
  | { kind: "otherConfig"; version: number }
  | { kind: "otherMember"; role: string; facts: string }
  | { kind: "needsFollow" }
  | { kind: "needsChatted" }
  | { kind: "refused"; refusal: Refusal };

export type AdmissionReply =
  | Undecided
  | { kind: "admitted"; epoch: number; seq: number }
  | { kind: "held"; id: string }
  /** About the text of an act, when it was published first. */
  | { kind: "decidedBefore"; outcome: ActTextOutcome };
/** No rule refuses the message at the moment. Whether it would be held is known only for texts of acts. */
export type AdmissionCheckReply =
  | Undecided
  | { kind: "passed" }
  /** The refusal: of what there is no place for among the held messages. */
  | { kind: "wouldBeHeld"; refusal: Refusal | null };

export async function admit(
  redis: RedisConnection,
  admission: Admission,
  event: AdmittedEvent,
): Promise<AdmissionReply> {
  const reply = read(await run(redis, admission, event));
  if (reply.kind === "passed" || reply.kind === "wouldBeHeld") throw new Error("admit.lua only looked.");
  return reply;
}

/** Dry run: whether this message would be admitted now. Writes nothing but what was looked up about the sender. */
export async function checkAdmission(
  redis: RedisConnection,
  admission: Admission,
): Promise<AdmissionCheckReply> {
  const reply = read(await run(redis, admission, null));
  if (reply.kind === "admitted" || reply.kind === "held" || reply.kind === "decidedBefore") {
    throw new Error("admit.lua admitted what it should only look at.");
  }
  return reply;
}

async function run(
  redis: RedisConnection,
  admission: Admission,
  event: AdmittedEvent | null,
): Promise<string[]> {
  const { streamId, userId, nonce, nowMs, followsSince, member, hasChatted, held, act } = admission;
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
        keys.roomMember(streamId, userId),
        keys.roomChatted(streamId, userId),
        keys.roomHeld(streamId),
        keys.shardHeld(shardOf(streamId)),
        keys.roomConfig(streamId),
        act === null ? keys.roomHeldOf(streamId, userId) : keys.roomHeldActsOf(streamId, userId),
        keys.roomHeldActs(streamId),
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
        String(admission.configVersion),
        member.role,
        member.facts,
        member.factsBefore ?? "=",
        admission.verdict ?? "",
        admission.hasLink ? "1" : "0",
        hasChatted === null ? "" : hasChatted ? "1" : "0",
        held.id,
        held.json,
        keys.control,
        held.notice,
        act === null ? "0" : "1",
        act?.source?.ref ?? "",
        String(act?.source?.version ?? ""),
        String(act?.source?.n ?? ""),
        admission.barredBy ?? "",
        String(admission.waitedMs),
      ],
    ),
  );
}

/** Somebody stopped following the channel: the next message looks the follow up again. Throws unavailable. */
export async function forgetFollow(redis: RedisConnection, streamId: string, userId: string): Promise<void> {
  await onRedis(() => redis.del(keys.roomFollow(streamId, userId)));
}

function read([kind, first = "", second = "", ...more]: string[]): AdmissionReply | AdmissionCheckReply {
  switch (kind) {
    case "ok":
      return { kind: "admitted", epoch: Number(first), seq: Number(second) };
    case "held":
      return { kind: "held", id: first };
    case "config":
      return { kind: "otherConfig", version: Number(first) };
    case "member":
      return { kind: "otherMember", role: first, facts: second };
    case "chatted":
      return { kind: "needsChatted" };
    case "repeat": {
      if (first.startsWith(HELD_PREFIX)) return { kind: "heldBefore", id: first.slice(HELD_PREFIX.length) };
      const [epoch = "", seq = ""] = first.split(":", 2);
      const suffix = first.slice(epoch.length + seq.length + 2);
      return { kind: "repeated", epoch: Number(epoch), seq: Number(seq), suffix };
    }
    case "may":
      return { kind: "passed" };
    case "may_hold":
      return { kind: "wouldBeHeld", refusal: isErrorCode(first) ? refusalOf(first, second, more) : null };
    case "decided":
      return { kind: "decidedBefore", outcome: outcomeIn(first) };
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

function outcomeIn(text: string): ActTextOutcome {
  if (text === "shown" || text === "held" || text === "withheld") return text;
  throw new Error(`admit.lua answered an outcome ${text}`);
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
