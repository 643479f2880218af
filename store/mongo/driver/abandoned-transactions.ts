import type { Binary } from "mongodb";
import type { Mongo } from "./connect.ts";

/** An idle open transaction of this service: it waits for its client's next statement. */
type OpenTransaction = {
  session: Binary;
  /** Unique among all transactions ever. */
  key: string;
  /** Time that the server has worked for it: if unchanged, its client has sent nothing in the meantime. */
  activeMicros: number;
  /** Total time that it has waited for its client. */
  waitedMs: number;
};

type CurrentOp = {
  lsid: { id: Binary };
  transaction: {
    parameters: { txnNumber: number };
    timeActiveMicros: number;
    timeInactiveMicros: number;
  };
};

/**
 * Transactions of the clients of this database, identified by their application name: no others are included. A user may list
 * and kill its own transactions without an extra role.
 */
export function openTransactionsIn({ client, appName }: Mongo) {
  const admin = client.db("admin");
  return {
    async waiting(): Promise<OpenTransaction[]> {
      const found = await admin
        .aggregate<CurrentOp>(
          [
            { $currentOp: { allUsers: false, idleSessions: true } },
            { $match: { type: "idleSession", appName, transaction: { $exists: true } } },
            { $project: { "lsid.id": 1, transaction: 1 } },
          ],
          // $currentOp accepts no other read concern.
          { readConcern: { level: "local" } },
        )
        .toArray();
      return found.map(({ lsid, transaction }) => ({
        session: lsid.id,
        key: `${lsid.id.toString("hex")} ${transaction.parameters.txnNumber}`,
        activeMicros: transaction.timeActiveMicros,
        waitedMs: transaction.timeInactiveMicros / 1_000,
      }));
    },

    /** Releases their documents; a client that is still alive gets an error for its next statement, and retries. */
    async end(transactions: OpenTransaction[]): Promise<void> {
      if (transactions.length === 0) return;
      await admin.command({ killSessions: transactions.map(({ session }) => ({ id: session })) });
    },
  };
}
