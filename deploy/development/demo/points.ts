import { atOnce } from "./at-once.ts";
import type { Account } from "./cast.ts";
import { FOLLOW_POINTS } from "./follows.ts";
import type { Betting } from "./prediction.ts";
import { type Check, check } from "./report.ts";
import type { Redeeming } from "./rewards.ts";
import { type Stage, signedIn } from "./stage.ts";

type Entry = { reason: string; delta: number; ref: string | null };

/** An account's points of a channel: its balance and all ledger entries. */
export async function statementOf({ client }: Account, channelUserId: string) {
  const path = { user_id: channelUserId };
  const { balance } = await client.call("getPoints", { path });
  const entries: Entry[] = [];
  for await (const { reason, delta, ref } of client.each("getPointsLedger", { path }))
    entries.push({ reason, delta, ref });
  return { balance, entries };
}

/** The sum of all signed-in viewers' points of the creator's channel. */
export async function totalPoints({ creator, viewers }: Stage): Promise<number> {
  const balances = await atOnce(8, signedIn(viewers), ({ account }) =>
    account.client.call("getPoints", { path: { user_id: creator.userId } }),
  );
  return balances.reduce((sum, { balance }) => sum + balance, 0);
}

/** Sums the entries with these reasons; without reasons, all entries. */
export const sumOf = (entries: Entry[], ...reasons: string[]): number =>
  entries.reduce(
    (sum, { reason, delta }) => (reasons.length === 0 || reasons.includes(reason) ? sum + delta : sum),
    0,
  );

/** Checks every change of points against the ledgers; redemptions and their refunds are kept apart from stakes and payouts. */
export async function auditPoints(
  { creator, viewers }: Stage,
  evening: { before: number; betting: Betting; redeeming: Redeeming },
): Promise<Check[]> {
  const { before, betting, redeeming } = evening;
  const { cost, fulfilled, refunded } = redeeming;
  const followers = signedIn(viewers);
  const statements = await atOnce(8, followers, ({ account }) => statementOf(account, creator.userId));
  const all = statements.flatMap(({ entries }) => entries);
  const isGivenBack = ({ reason, ref }: Entry) => reason === "refund" && ref !== null && refunded.has(ref);
  const givenBack = all.filter(isGivenBack);
  const rest = all.filter((entry) => !isGivenBack(entry));
  const after = statements.reduce((sum, { balance }) => sum + balance, 0);
  const whole = statements.filter(({ balance, entries }) => balance === sumOf(entries));

  return [
    check("points for first follows", FOLLOW_POINTS * followers.length, sumOf(all, "follow")),
    check("points for redemptions", -cost * (fulfilled.size + refunded.size), sumOf(all, "redemption")),
    check("points of refunded redemptions", cost * refunded.size, sumOf(givenBack)),
    check("points staked", -betting.staked, sumOf(all, "bet")),
    check("stakes, payouts and their refunds sum to", 0, sumOf(rest, "bet", "payout", "refund")),
    check(
      "points before + presence - fulfilled redemptions",
      before + sumOf(all, "presence") - cost * fulfilled.size,
      after,
    ),
    check("balances that equal their ledger", followers.length, whole.length),
    check("a bet after the lock is refused with", "invalid_state", betting.lateCode),
  ];
}
