import type { Db } from "mongodb";
import { jobCursorsIn } from "../../store/mongo/job-cursors.ts";

/** An account whose balance isn't what its entries say; nothing is ever corrected by itself. */
export type Deviation = { account: string; balance: number; entries: number };

export type LedgerReport = { accounts: number; deviations: Deviation[] };

/** At most this many deviations are named; one is enough to wake someone. */
const MOST_NAMED = 100;
/** Accounts that one read looks at: a snapshot read must end before MongoDB forgets its snapshot, after minutes. */
const RANGE = 1_000;

type AccountRow = { _id: string; balance: number; seq: number; sum: number; count: number };
type Progress = LedgerReport & { after: string };

/**
 * Holds every balance against the sum and the number of its ledger entries, in ranges of their ids with a snapshot read
 * each, so that an account that moves meanwhile isn't reported. Goes on where a run that died has stopped.
 */
export async function checkLedger(db: Db, now: () => Date, range = RANGE): Promise<LedgerReport> {
  const cursor = jobCursorsIn<Progress>(db, "ledger-check");
  let progress = (await cursor.find()) ?? { after: "", accounts: 0, deviations: [] };
  for (;;) {
    const rows = await accountsAfter(db, progress.after, range);
    const last = rows.at(-1);
    progress = {
      after: last?._id ?? progress.after,
      accounts: progress.accounts + rows.length,
      deviations: [...progress.deviations, ...rows.flatMap(deviationOf)].slice(0, MOST_NAMED),
    };
    if (rows.length < range) break;
    await cursor.keep(progress, now());
  }
  await cursor.done();
  return { accounts: progress.accounts, deviations: progress.deviations };
}

const deviationOf = ({ _id, balance, seq, sum, count }: AccountRow): Deviation[] =>
  balance === sum && seq === count && balance >= 0 ? [] : [{ account: _id, balance, entries: sum }];

function accountsAfter(db: Db, after: string, limit: number): Promise<AccountRow[]> {
  const isOfAccount = [{ $eq: ["$userId", "$$userId"] }, { $eq: ["$channelUserId", "$$channelUserId"] }];
  return db
    .collection("balances")
    .aggregate<AccountRow>(
      [
        { $match: { _id: { $gt: after } } },
        { $sort: { _id: 1 } },
        { $limit: limit },
        {
          $lookup: {
            from: "ledger",
            let: { userId: "$userId", channelUserId: "$channelUserId" },
            pipeline: [
              { $match: { $expr: { $and: isOfAccount } } },
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
      { readConcern: { level: "snapshot" } },
    )
    .toArray();
}
