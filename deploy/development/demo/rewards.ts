import { atOnce } from "./at-once.ts";
import { type Check, check } from "./report.ts";
import { type Stage, signedIn } from "./stage.ts";

const COST = 50;
/** The limit of one request that decides several redemptions. */
const MAX_AT_ONCE = 50;

/** `fulfilled` and `refunded` hold redemption ids, as the ledger's `ref` has them. */
export type Redeeming = {
  rewardId: string;
  cost: number;
  fulfilled: ReadonlySet<string>;
  refunded: ReadonlySet<string>;
  againCode: string;
};

/** Every signed-in viewer buys the reward once; the creator refunds every third redemption and fulfils the others. */
export async function redeem(stage: Stage): Promise<Redeeming> {
  const { creator, progress } = stage;
  const { id: rewardId } = await creator.client.call("createReward", {
    body: { title: "Hydrate", cost: COST, max_per_user_per_stream: 1 },
  });
  const buyers = signedIn(stage.viewers);
  const bought = await atOnce(16, buyers, async ({ account }) => {
    const { id } = await account.client.call("redeemReward", { path: { reward_id: rewardId }, body: {} });
    progress.show("redeeming a reward");
    return id;
  });
  const again = await buyers[0]?.account.client.attempt("redeemReward", {
    path: { reward_id: rewardId },
    body: {},
  });
  const refunded = bought.filter((_, i) => i % 3 === 1);
  const fulfilled = bought.filter((_, i) => i % 3 !== 1);
  await decide(stage, refunded, "refund");
  await decide(stage, fulfilled, "fulfil");
  progress.done(
    `${bought.length} redemptions at ${COST} points: ${fulfilled.length} fulfilled, ${refunded.length} refunded`,
  );
  return {
    rewardId,
    cost: COST,
    fulfilled: new Set(fulfilled),
    refunded: new Set(refunded),
    againCode: again && !again.ok ? again.error.code : "-",
  };
}

async function decide({ creator }: Stage, all: string[], action: "fulfil" | "refund"): Promise<void> {
  for (let i = 0; i < all.length; i += MAX_AT_ONCE) {
    const ids = all.slice(i, i + MAX_AT_ONCE);
    const { items } = await creator.client.call("decideRedemptions", { body: { ids, action } });
    for (const { error } of items)
      if (error) throw new Error(`A redemption couldn't be decided: ${error.code}.`);
  }
}

/** Checks the creator's queue of redemptions; `auditPoints` checks the points. */
export async function auditRewards({ creator }: Stage, redeeming: Redeeming): Promise<Check[]> {
  const { rewardId, fulfilled, refunded, againCode } = redeeming;
  const count = async (status: "pending" | "fulfilled" | "refunded") => {
    const query = { status, reward_id: rewardId, per_page: 1 };
    return (await creator.client.call("listRedemptions", { query })).total;
  };
  return [
    check("redemptions that are fulfilled", fulfilled.size, await count("fulfilled")),
    check("redemptions that are refunded", refunded.size, await count("refunded")),
    check("redemptions that wait", 0, await count("pending")),
    check("a second one in the same broadcast is refused with", "redemption_limit", againCode),
  ];
}
