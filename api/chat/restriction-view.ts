import type { ChatRestriction } from "../../contract/wire.ts";
import { type ChatBanDoc, isInForce } from "../../store/mongo/chat/chat-bans.ts";

/** Null without a ban, and for a timeout that is over. */
export function restrictionView(ban: ChatBanDoc | null, now: Date): ChatRestriction | null {
  if (!ban || !isInForce(ban, now)) return null;
  return {
    type: ban.until === null ? "ban" : "timeout",
    reason: ban.reason,
    expires_at: ban.until?.toISOString() ?? null,
  };
}
