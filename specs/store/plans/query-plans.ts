import { expect } from "chai";
import type { CommandStartedEvent, Document } from "mongodb";
import type { Stores } from "../../support/stores.ts";

type Plan = { text: string; docs: number };

/** The query plans of the commands in `act`; the stores have to be opened with `monitorCommands`. */
export async function plansOf(
  { mongo }: Pick<Stores, "mongo">,
  act: () => Promise<unknown>,
): Promise<Plan[]> {
  const { client, db } = mongo;
  const commands: Document[] = [];
  const note = ({ commandName, command }: CommandStartedEvent) => {
    if (["find", "aggregate", "update"].includes(commandName)) commands.push(command);
  };
  client.on("commandStarted", note);
  await act().finally(() => client.off("commandStarted", note));
  expect(commands).not.deep.equal([]);
  return Promise.all(
    commands.map(async ({ lsid: _lsid, $db: _db, $clusterTime: _time, txnNumber: _number, ...query }) => {
      const explained = await db.command({ explain: query, verbosity: "executionStats" });
      const text = JSON.stringify(explained, (key, part) => (key === "rejectedPlans" ? undefined : part));
      const most = (name: string) =>
        Math.max(0, ...[...text.matchAll(new RegExp(`"${name}":(\\d+)`, "g"))].map(([, n]) => Number(n)));
      return { text, docs: most("totalDocsExamined") };
    }),
  );
}

/** Expects only index scans, sorted by the index, that examine at most that many documents. */
export async function isServed(
  stores: Pick<Stores, "mongo">,
  act: () => Promise<unknown>,
  mostDocs: number,
): Promise<void> {
  for (const { text, docs } of await plansOf(stores, act)) {
    expect(text).not.match(/"stage":"(COLLSCAN|SORT)"/);
    expect(docs).most(mostDocs);
  }
}
