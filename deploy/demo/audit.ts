import type { LivecoreClient } from "../../clients/typescript/src/index.ts";
import { atOnce } from "./at-once.ts";
import type { Account } from "./cast.ts";
import type { Aftermath } from "./kill.ts";
import { type Check, check, percentiles } from "./report.ts";
import { type Betting, type Stage, signedIn } from "./stage.ts";

/** Every message of the room as REST tells it, oldest first. */
async function history(client: LivecoreClient, streamId: string): Promise<string[]> {
  const pages: string[][] = [];
  let before: string | null = null;
  for (let page = 0; page < 10_000; page++) {
    const query: { limit: number; before?: string } = { limit: 100, ...(before === null ? {} : { before }) };
    const body = await client.call("listChatMessages", { path: { stream_id: streamId }, query });
    pages.unshift(body.items.map(({ uuid }) => uuid));
    before = body.before_cursor;
    if (!body.has_more) break;
  }
  return pages.flat();
}

type Statement = { balance: number; sum: number; byReason: Map<string, number> };

async function statementOf({ client }: Account, channelUserId: string): Promise<Statement> {
  const path = { user_id: channelUserId };
  const { balance } = await client.call("getPoints", { path });
  const byReason = new Map<string, number>();
  for await (const { reason, delta } of client.each("getPointsLedger", { path })) {
    byReason.set(reason, (byReason.get(reason) ?? 0) + delta);
  }
  const sum = [...byReason.values()].reduce((a, b) => a + b, 0);
  return { balance, sum, byReason };
}

/** Holds what the crowd saw against what REST says: the closing table. */
export async function audit(
  stage: Stage,
  evening: { betting: Betting; pointsBefore: number; aftermath: Aftermath | null },
): Promise<Check[]> {
  const { betting, pointsBefore, aftermath } = evening;
  const { visitor, creator, viewers, tally } = stage;
  const listed = await history(visitor, creator.streamId);
  const whole = viewers.filter(
    ({ seen }) =>
      seen.breaks === 0 &&
      seen.uuids.length === listed.length &&
      seen.uuids.every((uuid, i) => uuid === listed[i]),
  );
  const stored = new Set(listed);
  const lost = [...tally.acknowledged].filter((uuid) => !stored.has(uuid));

  const followers = signedIn(viewers).map(({ account }) => account);
  const statements = await atOnce(8, followers, (account) => statementOf(account, creator.userId));
  const sumOf = (...reasons: string[]) =>
    statements.reduce(
      (sum, { byReason }) => sum + reasons.reduce((part, reason) => part + (byReason.get(reason) ?? 0), 0),
      0,
    );
  const balances = statements.reduce((sum, { balance }) => sum + balance, 0);
  const presence = sumOf("presence");

  return [
    check(
      "messages acknowledged are in the history",
      tally.acknowledged.size,
      tally.acknowledged.size - lost.length,
    ),
    check("messages in the history were acknowledged", listed.length, tally.acknowledged.size),
    check("viewers that saw every message once, in order", viewers.length, whole.length),
    ...(aftermath ? [check("viewers cut off that caught up again", aftermath.lost, aftermath.back)] : []),
    check("points for first follows", 300 * followers.length, sumOf("follow")),
    check("points staked, by the ledger", -betting.staked, sumOf("bet")),
    check("stakes, payouts and refunds sum to", 0, sumOf("bet", "payout", "refund")),
    check("points before + presence = points after", pointsBefore + presence, balances),
    check(
      "balances that equal their ledger",
      followers.length,
      statements.filter((one) => one.balance === one.sum).length,
    ),
    check("a bet after the lock is refused with", "invalid_state", betting.lateCode),
  ];
}

export function figures({ tally }: Stage, aftermath: Aftermath | null): string {
  const refused = [...tally.refused].map(([code, count]) => `${code} ${count}`).join(" · ") || "none";
  return [
    `  sent → acknowledged, ms   ${percentiles(tally.ackMs)}`,
    `  sent → seen, ms           ${percentiles(tally.deliveryMs)}   (${tally.deliveryMs.length} deliveries)`,
    ...(aftermath ? [`  kill → caught up, ms      ${percentiles(aftermath.tookMs)}`] : []),
    `  refused                   ${refused}`,
  ].join("\n");
}

/** What all signed-in viewers have of the channel's points together. */
export async function totalPoints({ creator, viewers }: Stage): Promise<number> {
  const balances = await atOnce(8, signedIn(viewers), ({ account }) =>
    account.client.call("getPoints", { path: { user_id: creator.userId } }),
  );
  return balances.reduce((sum, { balance }) => sum + balance, 0);
}
