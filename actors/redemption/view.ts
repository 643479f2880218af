import type { Redemption, UserSummary } from "../../specs/contract/wire.ts";
import type { RedemptionDoc } from "../../store/mongo/redemptions.ts";
import type { PublicUserDoc } from "../../store/mongo/users.ts";
import { userSummary } from "../identity/views.ts";
import { rewardView } from "../reward/view.ts";

export const redemptionView = (
  doc: RedemptionDoc,
  redeemer: PublicUserDoc | null | undefined,
): Redemption => ({
  id: doc._id,
  reward: rewardView(doc.channelUserId, doc.reward),
  redeemer: redeemer ? userSummary(redeemer) : erased(doc.redeemerId),
  user_input: doc.userInput,
  status: doc.status,
  created_at: doc.createdAt.toISOString(),
});

/** An account that was erased meanwhile still has its id. */
const erased = (id: string): UserSummary => ({
  id,
  username: "deleted",
  username_title: null,
  image_url: null,
});
