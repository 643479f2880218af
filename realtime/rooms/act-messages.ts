import { addressKey } from "../../base/addresses.ts";
import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import type { ChatMessage } from "../../contract/wire.ts";
import type { ActTextOutcome } from "../../store/mongo/monetization/tips.ts";
import { encodeEvent } from "./event.ts";
import type { Identities } from "./identities.ts";
import type { CheckedText } from "./message-check.ts";
import { UNLIMITED } from "./patience.ts";
import { admit, checkAdmission } from "./scripts/admit.ts";
import { typedCommand } from "./text.ts";
import type { TextDecisions } from "./text-decisions.ts";
import type { ActText, ActTextCheck, PublishOutcome, PublishRequest } from "./types.ts";

/** Stands for a visitor without an account, whom terms treat like any unverified viewer. */
const VISITOR = "00000000-0000-0000-0000-000000000000";

/**
 * Texts of acts, such as the message of a tip. The room decides twice, by the same rules: before the act, which may be refused
 * for its text, and when the act becomes true, when only the text can be refused.
 */
export function createActMessages(deps: {
  decisions: TextDecisions;
  identities: Pick<Identities, "of">;
  clock: Clock;
  onAdmitted(posted: { streamId: string; message: ChatMessage; repliedToId: string | null }): void;
  /** Called at least once for each message, before it counts as published. */
  onDecided(act: NonNullable<ChatMessage["act"]>, outcome: ActTextOutcome, at: Date): Promise<void>;
}) {
  const { decisions, identities, clock, onAdmitted, onDecided } = deps;

  const noteDecided = async ({ act }: ChatMessage, outcome: ActTextOutcome): Promise<void> => {
    if (act) await onDecided(act, outcome, new Date(clock.now()));
  };

  async function publish(message: ChatMessage, { streamId, actor }: PublishRequest): Promise<PublishOutcome> {
    // Refused before the act since commands can be typed as messages; older acts may have one.
    if (typedCommand(message.content) !== null) {
      await noteDecided(message, "withheld");
      return { published: true, position: null };
    }
    const identity = await identities.of(streamId);
    const decide = decisions({
      streamId,
      identity,
      sender: { userId: message.user_id },
      content: message.content,
      nonce: null,
      act: { source: actor },
      patience: UNLIMITED,
      // It was charged to its author before the act; what is published can't be refused for that.
      chargedTo: null,
      messageOf: (checked) => ({ ...message, ...shownNow(checked), room_id: identity.roomId }),
    });
    const { decision, message: shown } = await decide((node, admission, shown) =>
      admit(node, admission, { uuid: shown.uuid, ...encodeEvent("chat.message", streamId, shown) }),
    );
    switch (decision.kind) {
      case "admitted":
        onAdmitted({ streamId, message: shown, repliedToId: null });
        await noteDecided(shown, "shown");
        return { published: true, position: { epoch: decision.epoch, seq: decision.seq } };
      case "decidedBefore":
        await noteDecided(shown, decision.outcome);
        return { published: false, position: null };
      case "held":
      case "refused":
        await noteDecided(shown, decision.kind === "held" ? "held" : "withheld");
        return { published: true, position: null };
      default:
        throw new Error(`admit.lua decided about an act as about a message: ${decision.kind}`);
    }
  }

  function shownNow({ emotes, badges }: Pick<CheckedText, "emotes" | "badges">) {
    const timestamp = clock.now();
    return { timestamp, created_at: new Date(timestamp).toISOString(), emotes, badges };
  }

  return {
    publish,

    /** What the room would do with the text now. Throws not_found, unavailable, rate_limited. */
    async check({ streamId, author, content }: ActText): Promise<ActTextCheck> {
      const identity = await identities.of(streamId);
      const isUser = "userId" in author;
      const { userId, username } = isUser ? author : { userId: VISITOR, username: "" };
      const uuid = newId();
      const decide = decisions({
        streamId,
        identity,
        sender: { userId },
        content,
        nonce: null,
        act: { source: null },
        patience: UNLIMITED,
        // Visitors have no id of their own: by one for all of them a single visitor would use up everybody's budget.
        chargedTo: isUser ? userId : addressKey(author.address),
        messageOf: (checked) => ({
          uuid,
          user_id: userId,
          username,
          room_id: identity.roomId,
          content,
          type: "message",
          is_deleted: false,
          reply_to_id: null,
          reply_to_user: null,
          ...shownNow(checked),
        }),
      });
      const { decision } = await decide(checkAdmission);
      if (decision.kind === "passed") return { kind: "shown" };
      if (decision.kind === "wouldBeHeld") return { kind: "held", refusal: decision.refusal };
      if (decision.kind === "refused") return decision;
      throw new Error(`admit.lua answered a check with ${decision.kind}`);
    },
  };
}
