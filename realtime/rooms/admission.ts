import type { ChatMessage } from "../../specs/contract/frames.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Follows } from "../../store/mongo/follows.ts";
import { type Admission, admit } from "../../store/redis/scripts/admit.ts";
import { Gate } from "./gate.ts";
import type { RoomStates } from "./room-state.ts";
import { isEmotesOnly, normalised, problemWith, textHash } from "./text.ts";
import type { SendOutcome, SendRequest } from "./types.ts";

/** Entries that a shard's live stream may hold before chat is refused: about 200 MB over all shards. */
const BACKLOG_LIMIT = 50_000;

/**
 * Sending a message: check its text, serialise its event once, and let one script decide and append.
 * Throws not_found for an unknown room, unavailable while a store that it needs is away.
 */
export function createAdmission(deps: {
  states: RoomStates;
  follows: Follows;
  clock: Clock;
  /** Null: rules about time go by the server's own. */
  nowMs: () => number | null;
  findReplied: (streamId: string, uuid: string) => Promise<ChatMessage | null>;
}) {
  const { states, follows, clock, nowMs, findReplied } = deps;
  const gate = new Gate();

  return async function send(request: SendRequest): Promise<SendOutcome> {
    const { streamId, sender, content, replyToId = null, nonce = null } = request;
    const problem = problemWith(content);
    if (problem) return { ok: false, code: "validation_failed", details: problem };

    const { roomId, ownerId } = await states.identityOf(streamId);
    const replied = replyToId === null ? null : await findReplied(streamId, replyToId);
    if (replyToId !== null && (!replied || replied.is_deleted)) {
      return { ok: false, code: "not_found", details: { reply_to_id: replyToId } };
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
    const same = normalised(content);
    const contentHash = textHash(content);
    const { prefix, suffix } = eventAround("chat.message", streamId, message);
    const admission: Omit<Admission, "followsSince" | "runId"> = {
      streamId,
      userId: sender.userId,
      sessionId: sender.sessionId ?? null,
      uuid: message.uuid,
      prefix,
      suffix,
      textHash: contentHash,
      normalisedHash: same === content ? contentHash : textHash(same),
      emotesOnly: isEmotesOnly(content),
      nonce,
      nowMs: nowMs(),
      backlogLimit: BACKLOG_LIMIT,
    };
    const ask = (followsSince: number | null) =>
      states.withState(streamId, ({ id, node }) => admit(node, { ...admission, followsSince, runId: id }));

    await gate.pass(streamId);
    let reply = await ask(null);
    if (reply.kind === "needsFollow") {
      const follow = await follows.find(sender.userId, ownerId);
      reply = await ask(follow?.createdAt.getTime() ?? 0);
    }
    switch (reply.kind) {
      case "admitted":
        return { ok: true, epoch: reply.epoch, seq: reply.seq, message };
      case "repeated":
        return { ok: true, epoch: reply.epoch, seq: reply.seq, message: messageIn(reply.suffix) };
      case "refused":
        return { ok: false, code: reply.code, details: reply.details };
      case "needsFollow":
        throw new Error("admit.lua asked for the follow that it was given.");
    }
  };
}

/** An event's JSON around its seq, so that the script only glues. */
export function eventAround(type: string, streamId: string, data: unknown) {
  return {
    prefix: `{"type":${JSON.stringify(type)},"channel":"chat:${streamId}","seq":`,
    suffix: `,"data":${JSON.stringify(data)}}`,
  };
}

/** The message in the part of its event that follows the seq; this module wrote it. */
function messageIn(suffix: string): ChatMessage {
  return JSON.parse(suffix.slice(`,"data":`.length, -1)) as ChatMessage;
}
