import { expect } from "chai";
import { DAY_MS, HOUR_MS } from "../../../base/durations.ts";
import { keys } from "../../../store/redis/keys.ts";
import { codeOf, openRoomsWorld, type RoomsWorld, talker } from "./world.ts";

describe("What Redis knows of a room", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  const ttls = (names: readonly string[]) => Promise.all(names.map((name) => world.redis.pttl(name)));
  const withTexts = (id: string) => [keys.roomLog(id), keys.roomPositions(id)];
  const withRules = (id: string) => [
    keys.roomState(id),
    keys.roomDeleted(id),
    keys.roomActors(id),
    keys.roomIdentity(id),
    keys.roomConfig(id),
  ];

  /** A room in which something was deleted, and all of whose keys have an hour left. */
  async function agedRoom() {
    const stream = await world.channel();
    const { message } = await world.say(stream, talker(), "deleted");
    const act = () =>
      world.act(stream._id, "chat.message_deleted", {}, [{ kind: "delete", uuid: message.uuid }]);
    await act();
    await world.redis.set(keys.roomConfig(stream._id), "what texts are checked with");
    const all = [...withTexts(stream._id), ...withRules(stream._id)];
    for (const name of all) await world.redis.pexpire(name, HOUR_MS);
    return { stream, act };
  }

  async function expectRenewed(streamId: string): Promise<void> {
    const [texts, rules] = [await ttls(withTexts(streamId)), await ttls(withRules(streamId))];
    expect(Math.min(...texts)).above(DAY_MS);
    expect(Math.min(...rules), "what hides a text outlives it").above(Math.max(...texts));
  }

  it("lives on together while somebody talks, what hides messages longer than the messages", async () => {
    const { stream } = await agedRoom();

    world.advance(60_000);
    await world.say(stream, talker(), "later");

    await expectRenewed(stream._id);
  });

  it("lives on together while only events come", async () => {
    const { stream, act } = await agedRoom();

    await act();

    await expectRenewed(stream._id);
  });

  it("has of an author what was looked up in the last two minutes, whether it has changed or not", async () => {
    const stream = await world.channel();
    const author = talker();
    const key = keys.roomMember(stream._id, author.userId);
    await world.say(stream, author, "hello");
    expect(await world.redis.get(key)).equal("0 0");
    const lives = [await world.redis.pttl(key)];
    // Nobody is looked up anew because of talk.
    await world.redis.pexpire(key, 30_000);
    world.advance(2_000);
    await world.say(stream, author, "hello again");
    expect(await world.redis.pttl(key)).within(1, 30_000);

    await world.act(stream._id, "mod.badge", {}, [{ kind: "member", userId: author.userId }]);
    expect(await world.redis.get(key)).match(/^\?/);
    lives.push(await world.redis.pttl(key));

    for (const ms of lives) expect(ms).within(100_000, 120_000);
  });

  it("is renewed by the first message after an upgrade, also when the release before had just done so", async () => {
    const { stream } = await agedRoom();
    await world.redis.hdel(keys.roomState(stream._id), "renewed");
    await world.redis.hset(keys.roomState(stream._id), "kept", String(world.clock.now()));

    await world.say(stream, talker(), "first after the upgrade");

    await expectRenewed(stream._id);
  });

  it("is all that a worker needs which sees the room for the first time, also after Redis lost what the room is", async () => {
    const { stream } = await agedRoom();
    await world.redis.del(keys.roomIdentity(stream._id));
    world.advance(60_000);
    await world.say(stream, talker(), "by a worker that knows the room");
    const find = () => Promise.reject(new Error("MongoDB was queried"));
    const fresh = world.otherRooms({ streams: { ...world.streams, find } });

    const sent = await fresh.send({ streamId: stream._id, sender: talker(), content: "by another one" });

    expect(codeOf(sent)).equal("admitted");
    fresh.close();
  });
});
