import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import type { CommandStartedEvent, Document } from "mongodb";
import { newId } from "../../../../base/ids.ts";
import { operationsOf, readOpenApi } from "../../../../contract/openapi-document.ts";
import {
  type ModerationActionDoc,
  moderationActionsCollection,
  moderationActionsIn,
  PUBLIC_ACTIONS,
} from "../../../../store/mongo/chat/moderation-actions.ts";
import { migrate } from "../../../../store/mongo/schema/migrate.ts";
import { movableClock } from "../../../support/clock.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import { openStores, type Stores } from "../../../support/stores.ts";

const ROOT = new URL("../../../../", import.meta.url);
const FOLDERS = ["actors", "api", "base", "contract", "deploy", "jobs", "realtime", "store"];
const OWN = "store/mongo/chat/moderation-actions.ts";

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`),
);
const textOf = (name: string) => readFileSync(new URL(name, ROOT), "utf8");

describe("the log of moderation", () => {
  let stores: Stores;
  before(async () => {
    stores = await openStores(`livecore_spec_moderation_log_${process.pid}`, { monitorCommands: true });
  });
  after(async () => {
    await stores.mongo.db.dropDatabase();
    await stores.close();
  });

  it("is opened in one file alone, which only adds to it and reads it", () => {
    const opening = sources.filter((name) => /moderationActionsCollection\s*\.in\b/.test(textOf(name)));
    expect(opening).deep.equal([OWN]);
    const naming = sources.filter((name) => /"moderation_actions"/.test(textOf(name)));
    expect(naming).deep.equal([OWN]);
    const writes = textOf(OWN).match(/\.(insert|update|replace|delete|findOneAnd|bulkWrite|drop)\w*/g);
    expect(writes).deep.equal([".insertMany"]);
  });

  it("has no way to change an entry", () => {
    expect(Object.keys(moderationActionsIn(stores.mongo.db)).sort()).deep.equal([
      "insert",
      "lastOf",
      "ofStream",
      "page",
    ]);
    const methods = operationsOf(readOpenApi())
      .filter(({ path }) => path.includes("moderation-actions"))
      .map(({ method }) => method);
    expect(methods).deep.equal(["get", "get"]);
  });

  it("is read by an index, however it is narrowed down and whatever there is", async () => {
    const { client, db } = stores.mongo;
    await migrate(stores.mongo, { clock: movableClock(), log: quietLog() });
    const rows = Array.from({ length: 3_000 }, (_one, i) => entry(i));
    await moderationActionsCollection.in(db).insertMany(rows);
    const queries: Document[] = [];
    const note = ({ commandName, command }: CommandStartedEvent) => {
      if (commandName === "find") queries.push(command);
    };
    client.on("commandStarted", note);
    const actions = moderationActionsIn(db);
    const range = { skip: 0, limit: 10 };
    const by = (more: object) => actions.page({ streamId: "s1", ...more }, { ...range, isPublic: true });
    expect((await by({})).total).equal(1_500);
    expect((await by({ action: "ban" })).total).equal(84);
    expect((await by({ actorId: "a7" })).total).equal(15);
    expect((await by({ targetId: "t7" })).total).equal(15);
    expect((await actions.page({ streamId: "s1" }, { ...range, isPublic: false })).total).equal(1_500);
    client.off("commandStarted", note);

    expect(queries).lengthOf(5);
    for (const { lsid: _lsid, $db: _db, $clusterTime: _time, ...query } of queries) {
      const { executionStats } = await db.command({ explain: query, verbosity: "executionStats" });
      const plan = JSON.stringify(executionStats);
      expect(plan).not.include("COLLSCAN");
      expect(plan).not.include('"stage":"SORT"');
      const examined = [...plan.matchAll(/"totalDocsExamined":(\d+)/g)].map(([, n]) => Number(n));
      expect(Math.max(...examined)).within(1, 20);
    }
  });
});

/** Of two rooms, a hundred actors and as many targets, and every action. */
function entry(i: number): ModerationActionDoc {
  const half = Math.floor(i / 2);
  return {
    _id: newId(),
    streamId: `s${i % 2}`,
    roomId: i % 2,
    reason: null,
    durationSeconds: null,
    action: PUBLIC_ACTIONS[half % PUBLIC_ACTIONS.length] ?? "ban",
    actorId: `a${half % 100}`,
    targetId: `t${half % 100}`,
    createdAt: new Date(1_700_000_000_000 + i * 1_000),
  };
}
