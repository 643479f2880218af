import { expect } from "chai";
import { DAY_MS } from "../../../../base/durations.ts";
import { keys } from "../../../../store/redis/keys.ts";
import { givenBilling } from "../../../support/billing.ts";
import { movableClock } from "../../../support/clock.ts";
import { erased } from "../../../support/erased.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Channel, givenChannels } from "../../../support/given-channels.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

const PASSWORD = "a long phrase for specs";

describe("An erased account in rooms that others go on using", function () {
  this.timeout(60_000);
  const clock = movableClock();
  const { world } = setUpWorld({ clock, stores: openOwnStores });
  let given: ReturnType<typeof givenChannels>;
  before(async () => {
    given = givenChannels(world);
  });

  const messages = () => world.core.mongo.db.collection("chat_messages");
  const areArchived = ({ stream_id: streamId }: Channel["at"], count: number) =>
    eventually(async () => (await messages().countDocuments({ streamId })) === count, {
      what: "all are archived",
    });

  it("leaves its words, and neither its name nor its id in them and in their answers", async () => {
    const [person, { owner, at: params }] = [await given.user(), await given.channel()];
    const { uuid } = await person.api.ok("sendChatMessage", { params, body: { content: "hello" } });
    const reply = { content: "and to you", reply_to_id: uuid };
    await owner.api.ok("sendChatMessage", { params, body: reply });
    await person.api.call("deleteMe", { body: { password: PASSWORD } });
    clock.move(2 * DAY_MS);
    const { api } = await given.signedInAgain(owner);
    await api.ok("sendChatMessage", { params, body: { content: "later" } });
    await areArchived(params, 3);

    clock.move(28 * DAY_MS + 1_000);
    await erased(world, person.id);

    const { items } = await world.api.ok("listChatMessages", { params });
    expect(items.map(({ content }) => content)).deep.equal(["hello", "and to you", "later"]);
    expect([items[0]?.username, items[1]?.reply_to_user]).deep.equal(["deleted", "deleted"]);
    expect(JSON.stringify(items)).not.include(person.id).and.not.include(person.username);
    const log = await world.core.redis.xrange(keys.roomLog(params.stream_id), "-", "+");
    expect(JSON.stringify(log)).include("later").and.not.include(person.id).and.not.include(person.username);
  });

  it("keeps a tip's chat message without its author and clears the tip's message", async () => {
    const [person, { owner, at: params }] = [await given.user(), await given.channel()];
    const order = { to_user_id: owner.id, amount_cents: 500, currency: "USD", message: "What a play!" };
    const { checkout_url } = await person.api.ok("createTipCheckout", { body: order });
    await givenBilling(world).press(checkout_url, "pay");
    await areArchived(params, 1);
    await person.api.call("deleteMe", { body: { password: PASSWORD } });

    clock.move(30 * DAY_MS + 1_000);
    await erased(world, person.id);

    const [message] = (await world.api.ok("listChatMessages", { params })).items;
    expect(message).include({ content: "What a play!", type: "tip", username: "deleted" });
    expect(message?.act).include({ type: "tip", amount_cents: 500 });
    expect(JSON.stringify(message)).not.include(person.id).and.not.include(person.username);
    const { api } = await given.signedInAgain(owner);
    const [tip] = (await api.ok("listMyTips")).items;
    expect(tip).include({ message: null, from_user: null, status: "completed" });
  });

  it("doesn't bring back what a ban has hidden", async () => {
    const [person, { owner, at: params }] = [await given.user(), await given.channel()];
    await person.api.ok("sendChatMessage", { params, body: { content: "rude" } });
    await areArchived(params, 1);
    // As after a day in which nobody used it: what is deleted in the archive goes back to the log's beginning.
    const { redis } = world.core;
    await redis.del(await redis.keys(`${keys.room(params.stream_id)}:*`));
    await owner.api.ok("sendChatMessage", { params, body: { content: "stop that" } });
    await owner.api.ok("banUser", { params: { ...params, user_id: person.id } });
    const shown = async () =>
      (await world.api.ok("listChatMessages", { params })).items.map(({ content }) => content);
    await eventually(async () => !(await shown()).includes("rude"), { what: "it is hidden" });
    await person.api.call("deleteMe", { body: { password: PASSWORD } });
    await areArchived(params, 2);

    clock.move(30 * DAY_MS + 1_000);
    await erased(world, person.id);

    expect(await shown()).deep.equal(["", "stop that"]);
  });
});
