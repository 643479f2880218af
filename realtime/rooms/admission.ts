import type { ChatMessage } from "../../specs/contract/wire.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Follows } from "../../store/mongo/follows.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { encodeEvent, messageInSuffix } from "./event.ts";
import { type Identities, packIdentity } from "./identities.ts";
import type { RoomStates } from "./room-state.ts";
import { type Admission, type AdmissionLook, admit, mayAdmit } from "./scripts/admit.ts";
import { SendBatcher } from "./send-batcher.ts";
import { isEmotesOnly, normalised, problemWith, textHash, withoutBidiControls } from "./text.ts";
import type { SendOutcome, SendRequest } from "./types.ts";

/** Entries that a shard's live stream may hold before chat is refused: about 200 MB over all shards. */
const BACKLOG_LIMIT = 50_000;

/**
 * Sending a message: check its text, serialise its event once, and let one script decide and append.
 * Throws not_found for an unknown room, unavailable while a store that it needs is unavailable.
 */
export function createAdmission(deps: {
  states: RoomStates;
  identities: Pick<Identities, "of">;
  follows: Follows;
  clock: Clock;
  /** Null: rules about time go by the server's own. */
  nowMs: () => number | null;
  findReplied: (streamId: string, uuid: string) => Promise<ChatMessage | null>;
}) {
  const { states, identities, follows, clock, nowMs, findReplied } = deps;
  const batcher = new SendBatcher();

  return async function send(request: SendRequest): Promise<SendOutcome> {
    const { streamId, sender, replyToId = null, nonce = null } = request;
    const content = withoutBidiControls(request.content);
    const problem = problemWith(content);
    if (problem) return { ok: false, code: "validation_failed", details: problem };

    const identity = await identities.of(streamId);
    const { roomId, ownerId } = identity;
    const same = normalised(content);
    const contentHash = textHash(content);
    const rules: Omit<Admission, "followsSince" | "runId"> = {
      streamId,
      userId: sender.userId,
      sessionId: sender.sessionId ?? null,
      textHash: contentHash,
      normalisedHash: same === content ? contentHash : textHash(same),
      emotesOnly: isEmotesOnly(content),
      nonce,
      identity: packIdentity(identity),
      nowMs: nowMs(),
      backlogLimit: BACKLOG_LIMIT,
    };
    let followsSince: number | null = null;
    async function decide<Reply extends { kind: string }>(
      call: (node: RedisConnection, admission: Admission) => Promise<Reply>,
    ) {
      const once = () =>
        states.withState(streamId, ({ id, node }) => call(node, { ...rules, followsSince, runId: id }));
      const reply = await once();
      if (reply.kind !== "needsFollow") return reply;
      followsSince = (await follows.find(sender.userId, ownerId))?.createdAt.getTime() ?? 0;
      return once();
    }

    let replied: ChatMessage | null = null;
    if (replyToId !== null) {
      // A send that would be refused anyway looks up no message.
      const early = await decide(mayAdmit);
      if (early.kind !== "passed") return outcomeOf(early);
      replied = await findReplied(streamId, replyToId);
      if (!replied || replied.is_deleted) {
        return { ok: false, code: "not_found", details: { reply_to_id: replyToId } };
      }
    }

    const timestamp = clock.now();
    const message: ChatMessage = {
      uuid: newId(),
      user_id: sender.userId,
      username: sender.username,
      room_id: roomId,
      content,
      type: "message",
      timestamp,
      is_deleted: false,
      reply_to_id: replyToId,
      reply_to_user: replied?.username ?? null,
      created_at: new Date(timestamp).toISOString(),
    };
    const event = { uuid: message.uuid, ...encodeEvent("chat.message", streamId, message) };
    await batcher.pass(streamId);
    const reply = await decide((node, admission) => admit(node, admission, event));
    if (reply.kind === "admitted") return { ok: true, epoch: reply.epoch, seq: reply.seq, message };
    return outcomeOf(reply);
  };
}

/** Of whatever isn't admitted. */
function outcomeOf(
  reply: Exclude<AdmissionLook, { kind: "passed" | "stateMissing" | "otherServer" }>,
): SendOutcome {
  switch (reply.kind) {
    case "repeated":
      return { ok: true, epoch: reply.epoch, seq: reply.seq, message: messageInSuffix(reply.suffix) };
    case "refused":
      return { ok: false, ...reply.refusal };
    case "needsFollow":
      throw new Error("admit.lua required the follow that it was given.");
  }
}
