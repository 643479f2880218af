// @waits: for index builds that are held up.
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { completeSchema } from "../../../deploy/processes/schema/complete-schema.ts";
import { connectMongo, type Mongo } from "../../../store/mongo/driver/connect.ts";
import { buildIndexes } from "../../../store/mongo/schema/indexes.ts";
import { isSchemaComplete } from "../../../store/mongo/schema/migrate.ts";
import { eventually } from "../../support/eventually.ts";
import { openHeldIndexBuilds } from "../../support/held-index-builds.ts";
import { quietLog } from "../../support/quiet-log.ts";

const DOCUMENTS = 1_000;

describe("index builds at the start", function () {
  this.timeout(90_000);
  let builds: Awaited<ReturnType<typeof openHeldIndexBuilds>>;
  let mongo: Mongo;
  before(async () => {
    builds = await openHeldIndexBuilds();
  });
  after(() => builds.close());
  beforeEach(async () => {
    const database = `livecore_builds_${newId().slice(-6)}`;
    mongo = await connectMongo({ url: builds.url, database, selectionTimeoutMs: 5_000, maxPoolSize: 4 });
  });
  afterEach(async () => {
    await builds.release();
    await mongo.close();
  });

  const lines: string[] = [];
  const complete = (signal = new AbortController().signal) =>
    completeSchema({
      mongo: { url: builds.url, database: mongo.db.databaseName },
      log: quietLog(),
      report: (line) => lines.push(line),
      signal,
    });

  /** Users of an older release, whose names have no index yet. */
  const giveUsers = (usernameOf: (i: number) => string) =>
    mongo.db.collection<{ _id: string }>("users").insertMany(
      Array.from({ length: DOCUMENTS }, (_, i) => ({
        _id: `u${i}`,
        n: i,
        username: usernameOf(i),
        emailKey: `e${i}`,
      })),
    );

  const locks = () => mongo.db.collection("locks").countDocuments();

  it("waits for an index that MongoDB still builds, and reports its progress", async () => {
    await complete();
    await mongo.db.collection("users").dropIndex("username_1");
    await giveUsers((i) => `user${i}`);
    await builds.hold({ n: DOCUMENTS / 2 });
    const killed = await connectMongo({
      url: builds.url,
      database: mongo.db.databaseName,
      selectionTimeoutMs: 5_000,
      maxPoolSize: 1,
    });
    const begun = buildIndexes(killed.db, "users", [{ key: { username: 1 }, unique: true }]);
    begun.catch(() => undefined);
    await eventually(async () =>
      (await mongo.db.collection("users").indexes()).some(({ key }) => key.username),
    );
    await killed.close();
    expect(await isSchemaComplete(mongo.db)).equal(false);
    lines.length = 0;

    let isDone = false;
    const completed = complete().then(() => {
      isDone = true;
    });

    await eventually(() =>
      expect(lines.at(-1)).match(
        /^Creating indexes users {"username":1} \(scanning collection, [45]\d %, \d+ s\)$/,
      ),
    );
    expect(isDone).equal(false);
    await builds.release();
    await completed;
    expect(await isSchemaComplete(mongo.db)).equal(true);
  });

  it("gives the lock back at a stop, and joins the build that MongoDB went on with", async () => {
    await giveUsers((i) => `user${i}`);
    await builds.hold({ n: 10 });
    const stopped = new AbortController();
    const first = complete(stopped.signal).then(
      () => "complete",
      () => "interrupted",
    );
    await eventually(async () => (await mongo.db.collection("users").indexes()).length > 1);

    stopped.abort();

    expect(await first).equal("interrupted");
    expect(await locks()).equal(0);
    expect(await isSchemaComplete(mongo.db)).equal(false);
    await builds.release();
    await complete();
    expect(await isSchemaComplete(mongo.db)).equal(true);
  });

  it("lets the second of two hosts wait for the first one, and says so", async () => {
    await giveUsers((i) => `user${i}`);
    await builds.hold({ n: 10 });
    const first = complete();
    await eventually(async () => (await locks()) === 1);
    lines.length = 0;

    const second = complete();

    await eventually(() => lines.some((line) => line.startsWith("Waiting for another process")));
    await builds.release();
    await Promise.all([first, second]);
    expect(await isSchemaComplete(mongo.db)).equal(true);
  });

  it("ends with the collection and the key when duplicates keep a unique index from being built", async () => {
    await giveUsers((i) => `user${i % (DOCUMENTS - 1)}`);

    const failed = await complete().catch((err: unknown) => String(err));

    expect(failed)
      .include('unique index {"username":1} of users')
      .include("several documents have the same value");
    expect(failed).not.include("user0");
    expect(await locks()).equal(0);
    await mongo.db.collection<{ _id: string }>("users").deleteOne({ _id: `u${DOCUMENTS - 1}` });
    await complete();
    expect(await isSchemaComplete(mongo.db)).equal(true);
  });
});
