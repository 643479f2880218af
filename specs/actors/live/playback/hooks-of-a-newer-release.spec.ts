import { expect } from "chai";
import Type from "typebox";
import { createHookInbox, hookHandler } from "../../../../actors/hooks/inbox.ts";
import { newId } from "../../../../base/ids.ts";
import { hooksCollection } from "../../../../store/mongo/monetization/hooks.ts";
import { openWorld, type World } from "../../host/world.ts";

describe("A report that a newer release has taken, of a type that this one doesn't know,", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  it("waits for one that does", async () => {
    const source = newId();
    const deps = { ...world.deps, onAlert: () => undefined };
    const applied: string[] = [];
    const known = hookHandler({
      data: Type.Object({}, { additionalProperties: true }),
      subject: () => null,
      async apply({ id }) {
        applied.push(id);
        return "applied";
      },
    });
    const newer = createHookInbox(source, { "stream.paused": known }, deps);
    const older = createHookInbox(source, { "stream.live": known }, deps);
    const id = newId();
    await hooksCollection.in(world.mongo.db).insertOne({
      _id: `${source}:${id}`,
      source,
      type: "stream.paused",
      subject: null,
      event: { id, createdAt: new Date(world.clock.now()), data: {} },
      state: "received",
      reason: null,
      failures: 0,
      expiresAt: null,
      receivedAt: new Date(world.clock.now()),
      dueAt: new Date(world.clock.now()),
    });

    await older.sweep();
    const row = await hooksCollection.in(world.mongo.db).findOne({ source });
    expect(row).include({ state: "received", failures: 1 });
    world.move(60_000);
    await newer.sweep();

    expect(applied).deep.equal([id]);
  });
});
