import { LivecoreError } from "@livecore/client";
import { useEffect, useState } from "preact/hooks";
import { Loaded } from "../components/loaded.tsx";
import { useRead } from "../site/read.ts";
import { serverNow } from "../site/service-clock.ts";
import { TEXTS } from "../texts/texts.ts";
import type { ChannelPoints } from "./channel-points.ts";
import { type Known, NOTHING_KNOWN, type Reward } from "./offer.ts";
import { RedeemDialog } from "./redeem-dialog.tsx";
import { RewardTile } from "./reward-tile.tsx";

/** All rewards that a channel may have. */
const PER_PAGE = 100;
/** The list says that it changed by no event: these refusals do. */
const OUTDATED: readonly string[] = ["reward_disabled", "not_found"];

/** The channel's rewards, of which one may be redeemed. */
export function Rewards({ points }: { points: ChannelPoints }) {
  const { userId } = points.channel;
  const read = useRead("listRewards", { path: { user_id: userId }, query: { per_page: PER_PAGE } });
  const [known, setKnown] = useState<Known>(NOTHING_KNOWN);
  const [chosen, choose] = useState<Reward | null>(null);
  const { again } = read;
  // What was counted is in the list that was read since.
  useEffect(() => setKnown(({ limited }) => ({ ...NOTHING_KNOWN, limited })), [read.data]);
  useEffect(() => {
    return points.followRewards({
      redeemed: (redemption) => setKnown((before) => soldOne(before, redemption)),
      // Limits begin anew.
      broadcast: () => {
        setKnown(NOTHING_KNOWN);
        again();
      },
    });
  }, [points]);

  const refused = (reward: Reward, err: unknown): void => {
    if (!(err instanceof LivecoreError)) return;
    const { code, details, retryAfterMs } = err;
    if (OUTDATED.includes(code) || (code === "redemption_limit" && details.per !== "user")) again();
    if (code === "redemption_limit" && details.per === "user")
      setKnown((before) => ({ ...before, limited: new Set([...before.limited, reward.id]) }));
    if (code === "cooldown" && retryAfterMs !== null)
      setKnown((before) => readyAt(before, reward.id, serverNow() + retryAfterMs));
  };
  const { value: balance } = points.balance.points;
  return (
    <Loaded read={read}>
      {({ items }) => {
        const offered = items.filter(({ is_enabled }) => is_enabled);
        if (offered.length === 0) return <p class="note">{TEXTS.points.noRewards}</p>;
        return (
          <>
            {balance === 0 && <p class="note">{TEXTS.points.howTo}</p>}
            <ul class="rewards">
              {offered.map((reward) => (
                <RewardTile
                  key={reward.id}
                  reward={reward}
                  known={known}
                  balance={balance}
                  onChoose={() => choose(reward)}
                />
              ))}
            </ul>
            {chosen && (
              <RedeemDialog
                key={chosen.id}
                points={points}
                reward={items.find(({ id }) => id === chosen.id) ?? chosen}
                known={known}
                onRefused={(err) => refused(chosen, err)}
                onClose={() => choose(null)}
              />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

const readyAt = (known: Known, rewardId: string, until: number): Known => ({
  ...known,
  readyAt: new Map([...known.readyAt, [rewardId, until]]),
});

/** After a redemption by anybody. */
function soldOne(known: Known, { reward, created_at }: { reward: Reward; created_at: string }): Known {
  const redeemed = new Map([...known.redeemed, [reward.id, (known.redeemed.get(reward.id) ?? 0) + 1]]);
  const next = { ...known, redeemed };
  if (!reward.cooldown_seconds) return next;
  return readyAt(next, reward.id, Date.parse(created_at) + reward.cooldown_seconds * 1_000);
}
