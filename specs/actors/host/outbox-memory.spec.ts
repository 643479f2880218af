import { expect } from "chai";
import { unavailable } from "../../../contract/errors.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { outboxIn } from "../../../store/mongo/host/outbox.ts";
import { openWorld, type World } from "./world.ts";

describe("the outbox of a process that has just committed", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const rows = () => outboxIn(world.mongo.db);
  const left = (actor: string) => world.mongo.db.collection("outbox").countDocuments({ actor });

  /** Commits one row of that version, published by nobody yet, and returns what a process remembers of it. */
  async function commit(actor: string, version: number) {
    const row = { actor, version, n: 0, target: { room: "s" }, type: "chat.cleared" as const, data: {} };
    await inTransaction(world.mongo.client, (session) => world.outbox.write([row], session));
    const written = await rows().unsentOf(actor);
    return { version, rows: written.filter((one) => one.version === version) };
  }

  /** An outbox of its own, what it published, and whether Redis is unavailable. */
  function process() {
    const seen: number[] = [];
    const redis = { isUnavailable: false };
    const { outbox } = world.rival({
      publishRoom: async ({ actor }) => {
        if (redis.isUnavailable) throw unavailable();
        seen.push(actor.version);
      },
    });
    return { outbox, seen, redis };
  }

  it("publishes its commits in their order, each once, and leaves nothing", async () => {
    const { outbox, seen } = process();

    for (const version of [1, 2, 3]) outbox.committed("toy:own", await commit("toy:own", version));
    await outbox.idle();

    expect(seen).deep.equal([1, 2, 3]);
    expect(await left("toy:own")).equal(0);
  });

  it("publishes first what another process committed before and has not published", async () => {
    const { outbox, seen } = process();
    outbox.committed("toy:shared", await commit("toy:shared", 1));
    await outbox.idle();

    await commit("toy:shared", 2); // by a process that died
    outbox.committed("toy:shared", await commit("toy:shared", 3));
    await outbox.idle();

    expect(seen).deep.equal([1, 2, 3]);
    expect(await left("toy:shared")).equal(0);
  });

  it("publishes nothing more from memory after a failure: the older one must come first", async () => {
    const { outbox, seen, redis } = process();
    redis.isUnavailable = true;
    outbox.committed("toy:failed", await commit("toy:failed", 1));
    await outbox.idle();

    redis.isUnavailable = false;
    outbox.committed("toy:failed", await commit("toy:failed", 2));
    await outbox.idle();

    expect(seen).deep.equal([1, 2]);
    expect(await left("toy:failed")).equal(0);
  });

  it("reads once where more commits wait than it remembers", async () => {
    const { outbox, seen } = process();
    const commits = [];
    for (let version = 1; version <= 40; version++) commits.push(await commit("toy:many", version));

    for (const one of commits) outbox.committed("toy:many", one);
    await outbox.idle();

    expect(seen).deep.equal(commits.map(({ version }) => version));
    expect(await left("toy:many")).equal(0);
  });
});
