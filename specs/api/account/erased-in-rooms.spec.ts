import { expect } from "chai";
import { keys } from "../../../store/redis/keys.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { givenChannels } from "../../support/given-channels.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openWorld, type World } from "../../support/world.ts";

const PASSWORD = "a long phrase for specs";
const DAY_MS = 86_400_000;

describe("The name of an erased account in rooms that others go on using", function () {
  this.timeout(60_000);
  const clock = movableClock();
  let world: World;
  let given: ReturnType<typeof givenChannels>;
  before(async () => {
    world = await openWorld({ clock, stores: openOwnStores });
    given = givenChannels(world);
  });
  after(() => world.close());

  it("is gone from what was said and from its answers, and the words stay", async () => {
    const [person, { owner, at: params }] = [await given.user(), await given.channel()];
    const { uuid } = await person.api.ok("sendChatMessage", { params, body: { content: "hello" } });
    const reply = { content: "and to you", reply_to_id: uuid };
    await owner.api.ok("sendChatMessage", { params, body: reply });
    await person.api.call("deleteMe", { body: { password: PASSWORD } });
    clock.move(2 * DAY_MS);
    const { api } = await given.signedInAgain(owner);
    await api.ok("sendChatMessage", { params, body: { content: "later" } });
    const { db } = world.core.mongo;
    const areArchived = async () => (await db.collection("chat_messages").countDocuments()) === 3;
    await eventually(areArchived, { what: "all are archived" });

    clock.move(28 * DAY_MS + 1_000);
    const users = db.collection<{ _id: string }>("users");
    const isErased = async () => (await users.countDocuments({ _id: person.id })) === 0;
    await eventually(isErased, { what: "the account is erased", withinMs: 20_000 });

    const { items } = await world.api.ok("listChatMessages", { params });
    expect(items.map(({ content }) => content)).deep.equal(["hello", "and to you", "later"]);
    expect([items[0]?.username, items[1]?.reply_to_user]).deep.equal(["deleted", "deleted"]);
    expect(JSON.stringify(items)).not.include(person.id).and.not.include(person.username);
    const log = await world.core.redis.xrange(keys.roomLog(params.stream_id), "-", "+");
    expect(JSON.stringify(log)).include("later").and.not.include(person.id).and.not.include(person.username);
  });
});
