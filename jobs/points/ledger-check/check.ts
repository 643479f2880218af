import type { ClientSession, Db } from "mongodb";
import { inOneReply } from "../../../store/mongo/driver/bulk.ts";
import { jobCursorsIn } from "../../../store/mongo/driver/job-cursors.ts";
import { type BalanceDoc, balancesCollection } from "../../../store/mongo/points/balances.ts";
import { ledgerCollection } from "../../../store/mongo/points/ledger.ts";
import type { NightlyDeps } from "../../tasks/nightly-deps.ts";

/** An account whose balance differs from the sum of its entries; it is never corrected automatically. */
type Deviation = { account: string; balance: number; entries: number };

type LedgerReport = { accounts: number; deviations: Deviation[] };

/** At most this many deviations are reported; one is enough to wake someone. */
const MAX_REPORTED = 100;

type LedgerRange = {
  /** Accounts per read. */
  accounts: number;
  /** Entries summed per read; an account that has more is summed in several reads. */
  entries: number;
};

const RANGE: LedgerRange = { accounts: 1_000, entries: 50_000 };
/** How long a read may take, ms: far more than it needs, but MongoDB forgets a snapshot after five minutes. */
const READ_TIMEOUT_MS = 40_000;

type Account = Pick<BalanceDoc, "_id" | "userId" | "channelUserId" | "balance" | "seq">;
type Sum = { sum: number; count: number };
type AccountRow = Pick<Account, "_id" | "balance" | "seq"> & Sum;
type Progress = LedgerReport & { after: string };

/**
 * Compares every balance with the sum and the number of its ledger entries, in ranges of account ids with a snapshot each,
 * so that an account that changes meanwhile isn't reported. Resumes where a run that died has stopped. Its reads may take
 * longer than requests wait for an answer: `db` should be of a connection for maintenance.
 */
export async function checkLedger(db: Db, now: () => Date, range = RANGE): Promise<LedgerReport> {
  const part = async (before: Progress) => {
    const { rows, isLast } = await accountsAfter(db, before.after, range);
    const progress = {
      after: rows.at(-1)?._id ?? before.after,
      accounts: before.accounts + rows.length,
      deviations: [...before.deviations, ...rows.flatMap(deviationOf)].slice(0, MAX_REPORTED),
    };
    return { progress, isLast };
  };
  const begin: Progress = { after: "", accounts: 0, deviations: [] };
  const { accounts, deviations } = await jobCursorsIn<Progress>(db, "ledger-check").walk(begin, part, now);
  return { accounts, deviations };
}

export async function runLedgerCheck({ db, now, log }: NightlyDeps): Promise<void> {
  const { accounts, deviations } = await checkLedger(db, now);
  if (deviations.length > 0) log.error({ accounts, deviations }, "balances differ from their ledger entries");
  else log.info({ accounts }, "every balance equals the sum of its ledger entries");
}

const deviationOf = ({ _id, balance, seq, sum, count }: AccountRow): Deviation[] =>
  balance === sum && seq === count && balance >= 0 ? [] : [{ account: _id, balance, entries: sum }];

async function accountsAfter(
  db: Db,
  after: string,
  range: LedgerRange,
): Promise<{ rows: AccountRow[]; isLast: boolean }> {
  const session = db.client.startSession({ snapshot: true });
  try {
    const listed = await balancesCollection
      .in(db)
      .find({ _id: { $gt: after } }, { ...optionsOf(session), ...inOneReply(range.accounts) })
      .sort({ _id: 1 })
      .limit(range.accounts)
      .project<Account>({ userId: 1, channelUserId: 1, balance: 1, seq: 1 })
      .toArray();
    const batch = prefixWithin(listed, range.entries);
    const [first] = batch;
    const rows =
      first && first.seq > range.entries
        ? [{ ...first, ...(await sumInPages(db, first, range.entries, session)) }]
        : await rowsOf(db, batch, range.entries, session);
    return { rows, isLast: listed.length < range.accounts && batch.length === listed.length };
  } finally {
    await session.endSession();
  }
}

const optionsOf = (session: ClientSession) =>
  ({ session, readConcern: { level: "snapshot" }, maxTimeMS: READ_TIMEOUT_MS }) as const;

/** The longest prefix whose accounts have at most `most` entries together, but at least one account. */
function prefixWithin(accounts: Account[], most: number): Account[] {
  let entries = 0;
  const end = accounts.findIndex(({ seq }, i) => {
    entries += seq;
    return i > 0 && entries > most;
  });
  return end === -1 ? accounts : accounts.slice(0, end);
}

async function rowsOf(
  db: Db,
  accounts: Account[],
  most: number,
  session: ClientSession,
): Promise<AccountRow[]> {
  if (accounts.length === 0) return [];
  const isOfAccount = [{ $eq: ["$userId", "$$userId"] }, { $eq: ["$channelUserId", "$$channelUserId"] }];
  return balancesCollection
    .in(db)
    .aggregate<AccountRow>(
      [
        { $match: { _id: { $in: accounts.map(({ _id }) => _id) } } },
        { $sort: { _id: 1 } },
        {
          $lookup: {
            from: ledgerCollection.name,
            let: { userId: "$userId", channelUserId: "$channelUserId" },
            pipeline: [
              { $match: { $expr: { $and: isOfAccount } } },
              // `seq` may be wrong too; an account with more entries than it says deviates anyway.
              { $limit: most + 1 },
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
      { ...optionsOf(session), ...inOneReply(accounts.length) },
    )
    .toArray();
}

/** The sum of one account, by the index of its entries' seq. */
async function sumInPages(
  db: Db,
  { userId, channelUserId }: Account,
  page: number,
  session: ClientSession,
): Promise<Sum> {
  const total = { sum: 0, count: 0 };
  for (let after = Number.NEGATIVE_INFINITY; ; ) {
    const [part] = await ledgerCollection
      .in(db)
      .aggregate<Sum & { last: number }>(
        [
          { $match: { userId, channelUserId, seq: { $gt: after } } },
          { $sort: { seq: 1 } },
          { $limit: page },
          {
            $group: { _id: null, sum: { $sum: "$delta" }, count: { $sum: 1 }, last: { $max: "$seq" } },
          },
        ],
        optionsOf(session),
      )
      .toArray();
    if (!part) return total;
    total.sum += part.sum;
    total.count += part.count;
    after = part.last;
  }
}
