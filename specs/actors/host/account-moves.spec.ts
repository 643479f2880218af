import { expect } from "chai";
import { type Posting, post } from "../../../actors/points/ledger/post.ts";
import { Conflict } from "../../../base/failures/conflict.ts";
import { newId } from "../../../base/ids.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { balancesIn } from "../../../store/mongo/points/balances.ts";
import { openWorld, type World } from "./world.ts";

describe("accounts that move in one transaction", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const channelUserId = newId();
  const taking = (userId: string, delta: number): Posting => ({
    key: `test:${newId()}`,
    userId,
    channelUserId,
    delta,
    reason: delta < 0 ? "redemption" : "presence",
    ref: null,
    at: new Date(),
  });
  const posting = (movements: Posting[]) =>
    inTransaction(world.mongo.client, (session) => post(world.mongo.db, movements, session));
  const accountOf = async (userId: string) => {
    const doc = await balancesIn(world.mongo.db).find(userId, channelUserId);
    return doc && { balance: doc.balance, lifetimeEarned: doc.lifetimeEarned, seq: doc.seq };
  };
  /** Users with a hundred points each. */
  async function rich(count: number): Promise<string[]> {
    const users = Array.from({ length: count }, newId);
    await posting(users.map((userId) => taking(userId, 100)));
    return users;
  }

  it("move by what is theirs, many alike beside some of their own and some that are new", async () => {
    const alike = await rich(60);
    const [twice = "", dear = ""] = await rich(2);
    const opened = newId();
    const moves = [...alike.map((userId) => taking(userId, -7)), taking(twice, -7), taking(dear, -30)];

    const entries = await posting([...moves, taking(opened, 5), taking(twice, -8)]);

    expect(entries.map(({ balanceAfter, seq }) => [balanceAfter, seq])).deep.equal([
      ...alike.map(() => [93, 2]),
      ...[
        [93, 2],
        [70, 2],
        [5, 1],
        [85, 3],
      ],
    ]);
    for (const userId of alike)
      expect(await accountOf(userId)).deep.equal({ balance: 93, lifetimeEarned: 100, seq: 2 });
    expect(await accountOf(twice)).deep.equal({ balance: 85, lifetimeEarned: 100, seq: 3 });
    expect(await accountOf(dear)).deep.equal({ balance: 70, lifetimeEarned: 100, seq: 2 });
    expect(await accountOf(opened)).deep.equal({ balance: 5, lifetimeEarned: 5, seq: 1 });
  });

  it("stay as they are when one of many has too little", async () => {
    const users = await rich(40);
    await posting([taking(users[17] ?? "", -99)]);

    const failed: unknown = await posting(users.map((userId) => taking(userId, -2))).catch(
      (err: unknown) => err,
    );

    expect(failed).instanceOf(Conflict);
    for (const [i, userId] of users.entries())
      expect((await accountOf(userId))?.balance).equal(i === 17 ? 1 : 100);
  });
});
