import type { Binary } from "mongodb";
import type { Mongo } from "./connect.ts";

/** An open transaction of ours that is idle: it waits for its client's next statement. */
export type OpenTransaction = {
  session: Binary;
  /** Names it among all transactions there have ever been. */
  key: string;
  /** Time that the server has worked for it: unchanged means that its client has sent nothing meanwhile. */
  activeMicros: number;
  /** Time that it has waited for its client, in all. */
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
 * Transactions of the clients of this database, which are known by their application name: nobody else's are seen. Their
 * user may look at them and end them without a role for it.
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
          // $currentOp takes no other.
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

    /** Their documents are free again; a client that lives gets an error for its next statement, and retries. */
    async end(transactions: OpenTransaction[]): Promise<void> {
      if (transactions.length === 0) return;
      await admin.command({ killSessions: transactions.map(({ session }) => ({ id: session })) });
    },
  };
}
