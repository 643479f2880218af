import { expect } from "chai";
import type { RoomEvent } from "../../../actors/host/outbox.ts";
import { draftOutbox } from "../../../actors/host/outbox-draft.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { outboxIn } from "../../../store/mongo/host/outbox.ts";
import { openWorld, type World } from "./world.ts";

describe("a row of the outbox with many events", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  it("gives each its own place, also when one in the middle fails at first", async () => {
    const published: RoomEvent[] = [];
    let hasFailed = false;
    const { outbox } = world.rival({
      publishRoom: async (event) => {
        const fails = event.actor.n === 130 && !hasFailed;
        hasFailed ||= fails;
        if (fails) throw new Error("not this time");
        published.push(event);
      },
    });
    const actor = "reward:many";
    const draft = draftOutbox(actor, 1, new Date());
    const deleted = Array.from({ length: 250 }, (_, i) => ({ uuid: `message ${i}` }));
    draft.rooms("s", "chat.message_deleted", deleted);
    draft.room("s", "chat.cleared", {});
    const rows = outboxIn(world.mongo.db);
    await inTransaction(world.mongo.client, (session) => rows.insert(draft.rows, session));
    expect(draft.rows).length(4);

    await outbox.publish(actor);
    expect(published.at(-1)?.actor.n).equal(129);
    await outbox.publish(actor);
    await outbox.idle();

    // As a room takes them, which drops what isn't newer than all before.
    const taken = published.filter(({ actor: { n } }, i) =>
      published.slice(0, i).every((before) => before.actor.n < n),
    );
    expect(taken.map(({ actor: { n } }) => n)).deep.equal(Array.from({ length: 251 }, (_, n) => n));
    expect(taken.map(({ data }) => data)).deep.equal([...deleted, {}]);
    expect(await rows.unsentOf(actor)).deep.equal([]);
  });
});
