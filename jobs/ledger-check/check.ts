import type { Db } from "mongodb";

/** An account whose balance isn't what its entries say; nothing is ever corrected by itself. */
export type Deviation = { account: string; balance: number; entries: number };

export type LedgerReport = { accounts: number; deviations: Deviation[] };

/** At most this many deviations are named; one is enough to wake someone. */
const MOST_NAMED = 100;

type AccountRow = { _id: string; balance: number; seq: number; sum: number; count: number };

/**
 * Holds every balance against the sum and the number of its ledger entries. One pass over all accounts in
 * the order of their ids, a snapshot read each, so an account that moves meanwhile isn't reported.
 */
export async function checkLedger(db: Db): Promise<LedgerReport> {
  const rows = db.collection("balances").aggregate<AccountRow>(
    [
      {
        $lookup: {
          from: "ledger",
          let: { userId: "$userId", channelUserId: "$channelUserId" },
          pipeline: [
            {
              $match: {
                $expr: {
                  $and: [{ $eq: ["$userId", "$$userId"] }, { $eq: ["$channelUserId", "$$channelUserId"] }],
                },
              },
            },
            { $group: { _id: null, sum: { $sum: "$delta" }, count: { $sum: 1 } } },
          ],
          as: "entries",
        },
      },
      {
        $project: {
          balance: 1,
          seq: 1,
          sum: { $ifNull: [{ $first: "$entries.sum" }, 0] },
          count: { $ifNull: [{ $first: "$entries.count" }, 0] },
        },
      },
    ],
    { readConcern: { level: "snapshot" }, allowDiskUse: true },
  );
  const report: LedgerReport = { accounts: 0, deviations: [] };
  for await (const row of rows) {
    report.accounts += 1;
    const holds = row.balance === row.sum && row.seq === row.count && row.balance >= 0;
    if (!holds && report.deviations.length < MOST_NAMED) {
      report.deviations.push({ account: row._id, balance: row.balance, entries: row.sum });
    }
  }
  return report;
}
