import type { Refusal } from "../../contract/errors.ts";
import { type BanUntil, isInForce } from "../../store/mongo/chat/chat-bans.ts";

/** The refusal of a user with that ban who wants to write or show something in the room; null when there is none. */
export function refusalByBan(ban: Pick<BanUntil, "until"> | null | undefined, at: Date): Refusal | null {
  if (!ban || !isInForce(ban, at)) return null;
  if (ban.until === null) return { code: "banned" };
  return { code: "timed_out", details: { retry_after_ms: ban.until.getTime() - at.getTime() } };
}
