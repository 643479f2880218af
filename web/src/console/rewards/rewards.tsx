import { useRead } from "../../site/read.ts";
import { ConsolePage } from "../console-page.tsx";
import { OfOwnStream } from "../of-own-stream.tsx";
import { RedemptionQueue } from "./redemption-queue.tsx";
import { RewardList } from "./reward-list.tsx";
import "./rewards.css";

/** As many as a channel may have (docs/interface.md#8-limits). */
const ALL_REWARDS = 50;

/** What viewers redeem points for, and what they redeemed. */
export const RewardsConsole = () => (
  <ConsolePage section="rewards">{(user) => <Rewards userId={user.id} />}</ConsolePage>
);

function Rewards({ userId }: { userId: string }) {
  const rewards = useRead("listRewards", { path: { user_id: userId }, query: { per_page: ALL_REWARDS } });
  return (
    <div class="panels">
      <OfOwnStream>
        {(streamId) => (
          <RedemptionQueue channelUserId={userId} streamId={streamId} rewards={rewards.data?.items ?? []} />
        )}
      </OfOwnStream>
      <RewardList read={rewards} />
    </div>
  );
}
