import { atOnce } from "./at-once.ts";
import { type SignedIn, type Stage, signedIn, until } from "./stage.ts";

/** What each follower of the creator has left when betting, less the price of a reward. */
const MAX_AT_STAKE = 249;

export type Betting = { staked: number; lateCode: string };

/**
 * The creator opens a prediction and every signed-in viewer bets; it is locked, a late bet is refused, it is resolved and
 * paid out.
 */
export async function predict(stage: Stage): Promise<Betting> {
  const { creator, random, progress } = stage;
  const { id, outcomes } = await creator.client.call("createPrediction", {
    path: { stream_id: creator.streamId },
    body: {
      title: "Will the run beat the record?",
      outcomes: [{ title: "Yes", color: "#22AA55" }, { title: "No" }, { title: "Only just" }],
      duration_seconds: 300,
    },
  });
  const path = { prediction_id: id };
  const [winner] = outcomes;
  if (!winner) throw new Error("The prediction has no outcomes.");
  const bettors = signedIn(stage.viewers);
  let staked = 0;
  await atOnce(16, bettors, async ({ account }) => {
    const amount = 10 + Math.floor(random() * (MAX_AT_STAKE - 10 + 1));
    const outcome = outcomes[Math.floor(random() * outcomes.length)] ?? winner;
    await account.client.call("placeBet", { path, body: { outcome_id: outcome.id, amount } });
    staked += amount;
    progress.show(`betting: ${staked} points staked`);
  });
  await creator.client.call("lockPrediction", { path });
  const [first] = bettors;
  const lateBet = { path, body: { outcome_id: winner.id, amount: 1 } };
  const late = await first?.account.client.attempt("placeBet", lateBet);
  await creator.client.call("resolvePrediction", { path, body: { outcome_id: winner.id } });
  const payouts = await untilPaid(stage, id, bettors);
  progress.done(`${staked} points staked by ${bettors.length}, ${payouts} paid out`);
  return { staked, lateCode: late && !late.ok ? late.error.code : "-" };
}

/** Resolves with the sum paid, once every bet has its payout. */
function untilPaid(stage: Stage, id: string, bettors: SignedIn[]): Promise<number> {
  let open = bettors.length;
  return until(
    stage,
    async () => {
      const bets = await atOnce(16, bettors, ({ account }) =>
        account.client.call("getMyBet", { path: { prediction_id: id } }),
      );
      open = bets.filter(({ payout }) => payout === null).length;
      return open === 0 ? bets.reduce((sum, { payout }) => sum + (payout ?? 0), 0) : null;
    },
    {
      waitingFor: () => `the payout of ${open} bets`,
      withinMs: 30_000,
      late: () => `${open} bets are still unsettled.`,
    },
  );
}
