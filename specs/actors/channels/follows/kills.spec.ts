import { expect } from "chai";
import { newId } from "../../../../base/ids.ts";
import { type FollowChange, followsIn } from "../../../../store/mongo/channels/follows.ts";
import { openTransactionsIn } from "../../../../store/mongo/driver/abandoned-transactions.ts";
import { inTransaction } from "../../../../store/mongo/driver/transaction.ts";
import { withChildren } from "../../../stress/children.ts";
import { bundle } from "../../../support/bundle.ts";
import type { Point } from "../../host/crash/points.ts";
import { openWorld, type World } from "../../host/world.ts";
import { type Input, isPassed } from "./messages.ts";

const AT_ONCE = 4;

describe("a process that dies while somebody follows or unfollows", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const rowsOf = (followingId: string) =>
    world.mongo.db.collection("follows").countDocuments({ followingId });
  const earned = (channelUserId: string) =>
    world.mongo.db.collection("ledger").countDocuments({ channelUserId });

  it("leaves the follow, its points and the count, or none of them, wherever it dies", async () => {
    const module = await bundle("specs/actors/channels/follows/child.ts");
    const follows = followsIn(world.mongo.db);

    /** The channel, and the points on the way of a process that wasn't killed. */
    const run = (dieAt: Point | null): Promise<{ channel: string; passed: Point[] | null }> =>
      withChildren(async (start) => {
        const { userId: channel } = await world.stream();
        const input: Input = { database: world.mongo.db.databaseName, channel, fan: newId(), dieAt };
        const child = start(module, input);
        const { how, stderr } = await child.ended;
        if (dieAt === null && how !== 0) throw new Error(stderr);
        return { channel, passed: how === "SIGKILL" ? null : (child.received.find(isPassed)?.passed ?? []) };
      });

    const { passed } = await run(null);
    // Another third of them in each run.
    const first = Math.floor(Math.random() * 3);
    const points = (passed ?? []).filter((_, i) => i % 3 === first);
    const channels: string[] = [];
    let killed = 0;
    const killNext = async () => {
      for (let point = points.shift(); point; point = points.shift()) {
        const { channel, passed: alive } = await run(point);
        channels.push(channel);
        if (alive === null) killed++;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, killNext));
    const transactions = openTransactionsIn(world.mongo);
    await transactions.end(await transactions.waiting());

    expect(killed, "deaths").above(6);
    const followed: number[] = [];
    for (const channel of channels) {
      const rows = await rowsOf(channel);
      followed.push(rows);
      expect(await follows.countFollowers(channel)).equal(rows);
      expect(await earned(channel)).within(rows, 1);
      // What it held is free, and the count goes on.
      const change: FollowChange = {
        follows: { id: newId(), followerId: newId(), followingId: channel, createdAt: new Date() },
      };
      await inTransaction(world.mongo.client, (session) =>
        follows.change(channel, [change], new Date(), session),
      );
      expect(await follows.countFollowers(channel)).equal(rows + 1);
    }
    expect([...new Set(followed)].sort()).deep.equal([0, 1]);
  }).timeout(240_000);
});
