import type { PointsBalance } from "../../contract/wire.ts";

/** `claimable`: the waiting bonus. */
export function balanceView(
  channelUserId: string,
  { balance, lifetimeEarned }: { balance: number; lifetimeEarned: number },
  claimable = 0,
): PointsBalance {
  return { channel_user_id: channelUserId, balance, lifetime_earned: lifetimeEarned, claimable };
}
