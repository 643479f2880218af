import type { Db } from "mongodb";
import type { BalanceDoc } from "../../../../store/mongo/points/balances.ts";
import type { LedgerDoc } from "../../../../store/mongo/points/ledger.ts";

/** All accounts of a channel and their entries as they are stored, for the report of a failure. */
export async function accountsOf(db: Db, channelUserId: string): Promise<string> {
  const balances = await db.collection<BalanceDoc>("balances").find({ channelUserId }).toArray();
  const ledger = db.collection<LedgerDoc>("ledger").find({ channelUserId });
  const entries = await ledger.sort({ userId: 1, seq: 1 }).toArray();
  return [
    ...balances.map(({ userId, balance, seq }) => `account ${userId}: ${balance}, seq ${seq}`),
    ...entries.map(
      ({ _id, userId, seq, delta, balanceAfter }) =>
        `entry ${userId} ${seq}: ${delta} = ${balanceAfter} ${_id}`,
    ),
  ].join("\n");
}
