import { atOnce } from "./at-once.ts";
import type { Account } from "./cast.ts";
import type { Aftermath } from "./kill.ts";
import { type Check, check, percentiles } from "./report.ts";
import { field, integer, list, type Rest, text } from "./rest.ts";
import { type Betting, type Stage, signedIn } from "./stage.ts";

/** Every message of the room as REST tells it, oldest first. */
async function history(rest: Rest, streamId: string): Promise<string[]> {
  const pages: string[][] = [];
  let before = "";
  for (let page = 0; page < 10_000; page++) {
    const body = await rest.ok("GET", `/v1/chat/${streamId}/messages?limit=100${before}`);
    pages.unshift(list(body, "items").map((message) => text(message, "uuid")));
    if (field(body, "has_more") !== true) break;
    before = `&before=${text(body, "before_cursor")}`;
  }
  return pages.flat();
}

type Statement = { balance: number; sum: number; byReason: Map<string, number> };

async function statementOf(rest: Rest, account: Account, channelUserId: string): Promise<Statement> {
  const balance = await rest.ok("GET", `/v1/points/${channelUserId}`, { token: account.token });
  const entries = await rest.all(`/v1/points/${channelUserId}/ledger`, account.token);
  const byReason = new Map<string, number>();
  for (const entry of entries) {
    const reason = text(entry, "reason");
    byReason.set(reason, (byReason.get(reason) ?? 0) + integer(entry, "delta"));
  }
  const sum = [...byReason.values()].reduce((a, b) => a + b, 0);
  return { balance: integer(balance, "balance"), sum, byReason };
}

/** Holds what the crowd saw against what REST says: the closing table. */
export async function audit(
  stage: Stage,
  evening: { betting: Betting; pointsBefore: number; aftermath: Aftermath | null },
): Promise<Check[]> {
  const { betting, pointsBefore, aftermath } = evening;
  const { rest, creator, viewers, tally } = stage;
  const told = await history(rest, creator.streamId);
  const whole = viewers.filter(
    ({ seen }) =>
      seen.breaks === 0 &&
      seen.uuids.length === told.length &&
      seen.uuids.every((uuid, i) => uuid === told[i]),
  );
  const stored = new Set(told);
  const lost = [...tally.acknowledged].filter((uuid) => !stored.has(uuid));

  const fans = signedIn(viewers).map(({ account }) => account);
  const statements = await atOnce(8, fans, (account) => statementOf(rest, account, creator.userId));
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
    check("messages in the history were acknowledged", told.length, tally.acknowledged.size),
    check("viewers that saw every message once, in order", viewers.length, whole.length),
    ...(aftermath ? [check("viewers cut off that caught up again", aftermath.lost, aftermath.back)] : []),
    check("points for first follows", 300 * fans.length, sumOf("follow")),
    check("points staked, by the ledger", -betting.staked, sumOf("bet")),
    check("stakes, payouts and refunds sum to", 0, sumOf("bet", "payout", "refund")),
    check("points before + presence = points after", pointsBefore + presence, balances),
    check(
      "balances that equal their ledger",
      fans.length,
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
export async function totalPoints({ rest, creator, viewers }: Stage): Promise<number> {
  const balances = await atOnce(8, signedIn(viewers), ({ account }) =>
    rest.ok("GET", `/v1/points/${creator.userId}`, { token: account.token }),
  );
  return balances.reduce<number>((sum, body) => sum + integer(body, "balance"), 0);
}
