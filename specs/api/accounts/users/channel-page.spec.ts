import { expect } from "chai";
import type { CommandStartedEvent } from "mongodb";
import type { OperationId } from "../../../support/api.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { type Given, givenChannels } from "../../../support/given-channels.ts";
import { openStores } from "../../../support/stores.ts";
import { openWorld, type World } from "../../../support/world.ts";

const SECOND = 1_000;

describe("what anonymous visitors of a channel read", () => {
  let world: World;
  let given: Given;
  const commands: CommandStartedEvent[] = [];
  before(async () => {
    const stores = () => openStores(undefined, { monitorCommands: true });
    world = await openWorld({ clock: movableClock(), stores });
    given = givenChannels(world);
    world.core.mongo.client.on("commandStarted", (command) => void commands.push(command));
  });
  after(() => world.close());

  /** The number of database commands that name one of these, while `act` runs. */
  async function commandsNaming(names: string[], act: () => Promise<unknown>): Promise<number> {
    commands.length = 0;
    await act();
    const naming = commands.filter(({ command }) =>
      names.some((name) => JSON.stringify(command).includes(name)),
    );
    return naming.length;
  }

  const reads = async (): Promise<[OperationId, Record<string, string>, string[]][]> => {
    const tag = `only-here-${Math.random().toString(36).slice(2, 8)}`;
    const { owner, stream } = await given.channel();
    const { username } = owner;
    const names = [owner.id, username, stream.id];
    return [
      ["getPublicProfile", { username }, names],
      ["getUserStream", { username }, names],
      ["getStream", { stream_id: stream.id }, names],
      ["getViewerCount", { stream_id: stream.id }, names],
      ["getChatModes", { stream_id: stream.id }, names],
      ["listStreams", { tag }, [tag]],
    ];
  };

  it("asks the stores once a second, however many they are", async () => {
    for (const [operation, params, names] of await reads()) {
      const read = () =>
        world.api.ok(operation, operation === "listStreams" ? { query: params } : { params });
      const alone = await commandsNaming(names, read);
      expect(alone, operation).above(0);

      expect(await commandsNaming(names, () => Promise.all([read(), read(), read()])), operation).equal(0);

      world.clock.move(SECOND);
      const together = await commandsNaming(names, () => Promise.all(Array.from({ length: 20 }, read)));
      expect(together, operation).equal(alone);
    }
  });

  it("isn't what the owner reads, who sees a new title at once; they see it within a second", async () => {
    const { owner, at } = await given.channel();
    const titleFor = async (api: World["api"]) => (await api.ok("getStream", { params: at })).name;
    const before = await titleFor(world.api);

    await owner.api.ok("updateMyStream", { body: { name: "Another title" } });

    expect(await titleFor(owner.api)).equal("Another title");
    expect(await titleFor(world.api)).equal(before);
    world.clock.move(SECOND);
    expect(await titleFor(world.api)).equal("Another title");
  });

  it("isn't kept from what the signed-in read: they are shown whom they follow, others aren't", async () => {
    const channel = await given.channel();
    const follower = await given.followerOf(channel);
    const params = { username: channel.owner.username };

    const own = await follower.api.ok("getPublicProfile", { params });
    const others = await world.api.ok("getPublicProfile", { params });
    const ownAgain = await follower.api.ok("getPublicProfile", { params });

    expect([own, others, ownAgain].map((one) => one.is_following)).deep.equal([true, false, true]);
  });

  it("is gone a second after its account, by the service's own time", async () => {
    const { owner } = await given.channel();
    const params = { username: owner.username };
    expect((await world.api.call("getPublicProfile", { params })).status).equal(200);

    const users = world.core.mongo.db.collection<{ _id: string }>("users");
    await users.updateOne({ _id: owner.id }, { $set: { status: "deleted" } });
    world.clock.move(SECOND);

    await eventually(async () => (await world.api.call("getPublicProfile", { params })).status === 404);
  });
});
