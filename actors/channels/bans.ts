import type { Refusal } from "../../specs/contract/errors.ts";
import { type BanInForce, isInForce } from "../../store/mongo/channel-people.ts";

/** Of a user with that ban, or none, who would write or show something in the room; null for no refusal. */
export function refusalByBan(ban: Pick<BanInForce, "until"> | null | undefined, at: Date): Refusal | null {
  if (!ban || !isInForce(ban, at)) return null;
  if (ban.until === null) return { code: "banned" };
  return { code: "timed_out", details: { retry_after_ms: ban.until.getTime() - at.getTime() } };
}
