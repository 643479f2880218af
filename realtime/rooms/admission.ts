import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import type { ChatMessage } from "../../contract/wire.ts";
import type { AdmissionQueue } from "./admission-queue.ts";
import { encodeEvent, messageInSuffix } from "./event.ts";
import type { Identities } from "./identities.ts";
import type { CheckedText } from "./message-check.ts";
import { patienceSince } from "./patience.ts";
import { admit, checkAdmission } from "./scripts/admit.ts";
import { SendBatcher } from "./send-batcher.ts";
import { actionIn, COMMAND_REFUSED, sanitizedText, type TextProblem, typedCommand } from "./text.ts";
import type { Decision, TextDecisions } from "./text-decisions.ts";
import type { SendOutcome, SendRequest } from "./types.ts";

/**
 * Sends a message. Throws not_found for an unknown room, unavailable for a message that has waited for a second or stands behind
 * too many, and what decisions about texts throw.
 */
export function createAdmission(deps: {
  decisions: TextDecisions;
  identities: Pick<Identities, "of" | "known">;
  clock: Clock;
  queue: AdmissionQueue;
  findReplied: (streamId: string, uuid: string) => Promise<ChatMessage | null>;
  /** Called once for each message that is in the log; `repliedToId` is the author of the message that it replies to. */
  onAdmitted(posted: { streamId: string; message: ChatMessage; repliedToId: string | null }): void;
}) {
  const { decisions, identities, clock, queue, findReplied, onAdmitted } = deps;
  const batcher = new SendBatcher();

  return async function send(request: SendRequest): Promise<SendOutcome> {
    const { streamId, sender, replyToId = null, nonce = null, arrivedAt = performance.now() } = request;
    const { userId, username } = sender;
    const refused = (problem: TextProblem): SendOutcome => {
      const details = { errors: [{ path: request.contentPath ?? "", ...problem }] };
      return { ok: false, code: "validation_failed", details };
    };
    const spoken = sanitizedText(request.content);
    if (!spoken.ok) return refused(spoken.problem);
    const action = request.type ? null : actionIn(spoken.content);
    const type = request.type ?? (action === null ? "message" : "action");
    const content = action ?? spoken.content;
    if (typedCommand(content) !== null) return refused(COMMAND_REFUSED);

    const patience = patienceSince(arrivedAt, queue);
    const identity = identities.known(streamId) ?? (await patience.for(identities.of(streamId)));
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
        type,
        timestamp,
        is_deleted: false,
        reply_to_id: replyToId,
        reply_to_user: replied?.username ?? null,
        created_at: new Date(timestamp).toISOString(),
        emotes,
        badges,
      };
    }

    const text = { streamId, identity, sender, content, nonce, patience };
    const decide = decisions({ ...text, act: null, chargedTo: userId, messageOf });

    if (replyToId !== null) {
      // Checked first, so that a send that would be refused anyway loads no message.
      const { decision, message } = await decide(checkAdmission);
      if (decision.kind !== "passed") return outcomeOf(decision, message);
      replied = await patience.for(findReplied(streamId, replyToId));
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
    case "wouldBeHeld":
      throw new Error("admit.lua only looked.");
    case "decidedBefore":
      throw new Error("admit.lua decided about a message as about an act.");
  }
}
