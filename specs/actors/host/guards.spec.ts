import { expect } from "chai";
import { assertGuards } from "../../../actors/host/guards.ts";
import { Conflict } from "../../../base/failures/conflict.ts";
import { isTransient } from "../../../base/failures/mongo.ts";
import { newId } from "../../../base/ids.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { openWorld, type World } from "./world.ts";

describe("what a decision rests on", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const doors = () => world.mongo.db.collection<{ _id: string; isOpen: boolean }>("doors");
  async function door() {
    const id = newId();
    await doors().insertOne({ _id: id, isOpen: true });
    const guard = { collection: "doors", id, has: { isOpen: true } };
    const hold = () =>
      inTransaction(world.mongo.client, (session) => assertGuards(world.mongo.db, [guard], session), {
        attemptMs: 2_000,
        allMs: 0,
      }).catch((err: unknown) => err);
    return { id, hold };
  }

  it("is held when it is as it was, and a conflict when it isn't", async () => {
    const { id, hold } = await door();
    expect(await hold()).equal(undefined);

    await doors().updateOne({ _id: id }, { $set: { isOpen: false } });

    expect(await hold()).instanceOf(Conflict);
  });

  it("meets a change that is under way: two that only read each other's would both commit", async () => {
    const { id, hold } = await door();
    const session = world.mongo.client.startSession();
    session.startTransaction();
    await doors().updateOne({ _id: id }, { $set: { isOpen: false } }, { session });

    const met = await hold();
    await session.commitTransaction();
    await session.endSession();

    expect(isTransient(met)).equal(true);
    expect(await hold()).instanceOf(Conflict);
  });
});
