import { unavailable } from "../../specs/contract/errors.ts";
import type { ChatMessage } from "../../specs/contract/wire.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { AUTHOR_BUDGET, cpuBudgets } from "./config/cpu-budget.ts";
import { encodeEvent, messageInSuffix } from "./event.ts";
import { heldDraft, NOT_HELD } from "./held.ts";
import { type Identities, packIdentity } from "./identities.ts";
import { type CheckedText, checkText, textOf } from "./message-check.ts";
import type { RoomStates } from "./room-state.ts";
import {
  type Admission,
  type AdmissionCheckReply,
  type AdmissionReply,
  admit,
  checkAdmission,
} from "./scripts/admit.ts";
import { SendBatcher } from "./send-batcher.ts";
import { createSenderContext, type Lookups, type NeedsLookup, needsLookup } from "./sender-context.ts";
import { sanitizedText } from "./text.ts";
import type { SendOutcome, SendRequest } from "./types.ts";

/** Entries in a shard's live stream from which on chat is refused (back-pressure): about 200 MB over all shards. */
const BACKLOG_LIMIT = 50_000;
/** Configuration, member, follow and "has chatted before" may each be missing once, and may change in the meantime. */
const ATTEMPTS = 8;
/** How many authors a worker keeps a CPU budget for. */
const MAX_AUTHORS = 20_000;

type StateNotCurrent = { kind: "stateMissing" | "otherServer" };
type Decision = Exclude<AdmissionReply | AdmissionCheckReply, NeedsLookup | StateNotCurrent>;
type RunScript = (
  node: RedisConnection,
  admission: Admission,
  message: ChatMessage,
) => Promise<AdmissionReply | AdmissionCheckReply>;

/**
 * Sends a message: checks its text, serialises its event once, and lets one script decide and append. The script knows which
 * configuration and which author facts the text has to be checked with; if the worker used others, it asks for a retry.
 * Throws not_found for an unknown room, unavailable while a store that it needs is unavailable, and rate_limited for an author
 * whose texts take too much CPU time to check.
 */
export function createAdmission(deps: {
  states: RoomStates;
  identities: Pick<Identities, "of">;
  lookups: Lookups;
  clock: Clock;
  /** Null: time-based rules use the Redis server's clock. */
  nowMs: () => number | null;
  findReplied: (streamId: string, uuid: string) => Promise<ChatMessage | null>;
  /** Called once for each message that is in the log; `repliedToId` is the author of the message that it replies to. */
  onAdmitted(posted: { streamId: string; message: ChatMessage; repliedToId: string | null }): void;
}) {
  const { states, identities, clock, nowMs, findReplied, onAdmitted } = deps;
  const batcher = new SendBatcher();
  const budgets = cpuBudgets({ share: AUTHOR_BUDGET, max: MAX_AUTHORS });
  const contextOf = createSenderContext(deps.lookups);

  return async function send(request: SendRequest): Promise<SendOutcome> {
    const { streamId, sender, replyToId = null, nonce = null } = request;
    const { userId, username, sessionId = null, isBot = false } = sender;
    const spoken = sanitizedText(request.content);
    if (!spoken.ok) return { ok: false, code: "validation_failed", details: spoken.problem };
    const { content } = spoken;

    const identity = await identities.of(streamId);
    const context = contextOf(streamId, userId, identity);
    const spend = budgets.of(userId);
    const { textHash, normalisedHash, hasLink } = spend(() => textOf(content));
    const fixed = {
      streamId,
      userId,
      sessionId,
      textHash,
      normalisedHash,
      hasLink,
      nonce,
      identity: packIdentity(identity),
      backlogLimit: BACKLOG_LIMIT,
    };
    const uuid = newId();
    let replied: ChatMessage | null = null;

    function messageOf({ emotes, badges }: CheckedText): ChatMessage {
      const timestamp = clock.now();
      return {
        uuid,
        user_id: userId,
        username,
        room_id: identity.roomId,
        content,
        type: "message",
        timestamp,
        is_deleted: false,
        reply_to_id: replyToId,
        reply_to_user: replied?.username ?? null,
        created_at: new Date(timestamp).toISOString(),
        emotes,
        badges,
      };
    }

    async function decide(runScript: RunScript): Promise<{ decision: Decision; message: ChatMessage }> {
      for (let tries = 0; tries < ATTEMPTS; tries++) {
        const config = await context.config();
        const member = await context.member();
        const globals = context.globals();
        const checked = spend(() => checkText(content, { config, globals }, { ...member, isBot }));
        const { verdict } = checked;
        const message = messageOf(checked);
        const { factsBefore, ...lookedUp } = context.now();
        const rules = {
          ...fixed,
          ...lookedUp,
          nowMs: nowMs(),
          emotesOnly: checked.emotesOnly,
          verdict: verdict?.action ?? null,
          configVersion: config.version,
          member: { ...member, factsBefore },
          held: verdict?.action === "hold" || hasLink ? heldDraft(streamId, message, verdict) : NOT_HELD,
        };
        const reply = await states.withState(streamId, ({ id, node }) =>
          runScript(node, { ...rules, runId: id }, message),
        );
        if (!needsLookup(reply)) return { decision: reply, message };
        await context.learn(reply);
      }
      throw unavailable();
    }

    if (replyToId !== null) {
      // Checked first, so that a send that would be refused anyway loads no message.
      const { decision, message } = await decide(checkAdmission);
      if (decision.kind !== "passed") return outcomeOf(decision, message);
      replied = await findReplied(streamId, replyToId);
      if (!replied || replied.is_deleted) {
        return { ok: false, code: "not_found", details: { reply_to_id: replyToId } };
      }
    }
    await batcher.pass(streamId);
    const { decision, message } = await decide((node, admission, message) =>
      admit(node, admission, { uuid, ...encodeEvent("chat.message", streamId, message) }),
    );
    if (decision.kind === "admitted") {
      onAdmitted({ streamId, message, repliedToId: replied?.user_id ?? null });
    }
    return outcomeOf(decision, message);
  };
}

function outcomeOf(decision: Decision, message: ChatMessage): SendOutcome {
  switch (decision.kind) {
    case "admitted":
      return { ok: true, epoch: decision.epoch, seq: decision.seq, message };
    case "repeated":
      return {
        ok: true,
        epoch: decision.epoch,
        seq: decision.seq,
        message: messageInSuffix(decision.suffix),
      };
    case "held":
    case "heldBefore":
      return { ok: false, code: "held", id: decision.id };
    case "refused":
      return { ok: false, ...decision.refusal };
    case "passed":
      throw new Error("admit.lua only looked.");
  }
}
