import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { keys } from "../../../store/redis/keys.ts";
import { atOnce } from "../../stress/at-once.ts";
import { codeOf, openRoomsWorld, type RoomsWorld, type Talker, talker } from "./world.ts";

/** Few enough that no message waits for a second, even on a busy machine. */
const AT_ONCE = 50;

describe("what a reply costs", () => {
  let world: RoomsWorld;
  let commands: string[] = [];
  before(async () => {
    world = await openRoomsWorld();
    const send = world.redis.sendCommand.bind(world.redis);
    world.redis.sendCommand = (...args: Parameters<typeof send>) => {
      commands.push(args[0].name.toLowerCase());
      return send(...args);
    };
  });
  after(() => world.close());

  async function costOf<T>(work: () => Promise<T>): Promise<[result: T, commands: string[]]> {
    commands = [];
    const result = await work();
    return [result, commands];
  }

  const reply = (
    streamId: string,
    sender: Talker & { sessionId?: string },
    replyToId: string,
    nonce?: string,
  ) =>
    world.rooms.send({
      streamId,
      sender,
      content: "me too",
      replyToId,
      ...(nonce === undefined ? {} : { nonce }),
    });

  it("is one script call, and no look at any message, for whom the worker knows and who may not write", async () => {
    const stream = await world.channel({ slow: true, slowSeconds: 30 });
    const [banned, hasty, late] = [talker(), talker(), talker()];
    await world.act(stream._id, "chat.user_banned", {}, [
      { kind: "ban", userId: banned.userId, untilMs: null },
    ]);
    await world.say(stream, hasty, "first");
    await world.rooms.endSession("ended-session");

    for (const [sender, code] of [
      [banned, "banned"],
      [hasty, "rate_limited"],
      [{ ...late, sessionId: "ended-session" }, "invalid_token"],
    ] as const) {
      const send = () => costOf(() => reply(stream._id, sender, newId()));
      const [first, before] = await send();
      const [outcome, commands] = await send();
      expect([codeOf(first), before]).deep.equal([
        code,
        sender === hasty ? ["evalsha"] : ["hget", "get", "evalsha"],
      ]);
      expect([codeOf(outcome), commands]).deep.equal([code, ["evalsha"]]);
    }
    world.advance(2_000);
    expect(codeOf(await reply(stream._id, hasty, newId()))).equal("slow_mode");
  });

  it("is the same few commands however long the room's log is", async () => {
    const stream = await world.channel();
    const { message } = await world.say(stream, talker(), "anyone?");
    await atOnce(AT_ONCE, [...Array(600).keys()], (i) => world.say(stream, talker(), `m${i}`));

    const [one, other] = [talker(), talker()];
    for (const known of [one, other]) await world.say(stream, known, `by ${known.username}`);
    world.advance(1_000);

    const [found, commands] = await costOf(() => reply(stream._id, one, message.uuid));
    const [unknown, more] = await costOf(() => reply(stream._id, other, newId()));

    expect(codeOf(found)).equal("admitted");
    expect(commands).deep.equal(["evalsha", "hget", "xrange", "zmscore", "hmget", "evalsha"]);
    expect(codeOf(unknown)).equal("not_found");
    expect(more).deep.equal(["evalsha", "hget"]);
  });

  it("counts towards no limit while it is refused", async () => {
    const stream = await world.channel();
    const sender = talker();

    expect(codeOf(await reply(stream._id, sender, newId()))).equal("not_found");

    expect((await world.say(stream, sender, "at once")).seq).equal(1);
  });

  it("is sent once by a nonce, also when the message that it answers is gone", async () => {
    const stream = await world.channel();
    const { message } = await world.say(stream, talker(), "regretted");
    const sender = talker();
    const first = await reply(stream._id, sender, message.uuid, "n1");
    await world.act(stream._id, "chat.message_deleted", { uuid: message.uuid }, [
      { kind: "delete", uuid: message.uuid },
    ]);

    expect(codeOf(first)).equal("admitted");
    expect(await reply(stream._id, sender, message.uuid, "n1")).deep.equal(first);
    expect(codeOf(await reply(stream._id, talker(), message.uuid))).equal("not_found");
  });

  /** Places of so many messages that came before, as the script keeps them. */
  async function placed(streamId: string, messages: number, uuidOf: (n: number) => string): Promise<void> {
    const fields = [...Array(messages).keys()].flatMap((i) => [
      ...[uuidOf(i), `1-${i}`],
      ...[`#${i + 1}`, uuidOf(i)],
    ]);
    await world.redis.hset(keys.roomPositions(streamId), ...fields, "last", String(messages));
  }
  const say64 = (stream: StreamDoc) =>
    Promise.all([...Array(64).keys()].map((i) => world.say(stream, talker(), `m${i}`)));

  it("remembers where the messages of the log stand, and no more", async () => {
    const stream = await world.channel();
    await placed(stream._id, 20_900, (n) => `00000000-${n}`);
    await say64(stream);
    const { message } = await world.say(stream, talker(), "the newest");

    // Two fields for each, and two for all.
    expect(await world.redis.hlen(keys.roomPositions(stream._id))).equal(2 * 20_481 + 2);
    expect(await world.redis.ttl(keys.roomPositions(stream._id))).above(86_400);
    expect((await world.rooms.log.find(stream._id, message.uuid))?.seq).equal(65);
    expect(await world.redis.hexists(keys.roomPositions(stream._id), "00000000-483")).equal(0);
    expect(await world.redis.hexists(keys.roomPositions(stream._id), "00000000-484")).equal(1);
    for (const name of ["first", "last", "#484", "#20900"]) {
      expect(await world.rooms.log.find(stream._id, name)).equal(null);
    }
  });

  it("finds a message that the archive doesn't have yet, however many came after it", async () => {
    const stream = await world.channel();
    const { message } = await world.say(stream, talker(), "long ago");
    await placed(stream._id, 19_900, (n) => `ffffffff-${n}`);
    await say64(stream);

    expect(await world.rooms.findMessage(stream._id, message.uuid)).deep.equal(message);
  });

  it("finds the newest messages also of a worker whose clock is behind the others'", async () => {
    const stream = await world.channel();
    await placed(stream._id, 20_480, (n) => `ffffffff-${n}`);
    const sent = await say64(stream);

    for (const { message } of sent) {
      expect(await world.rooms.findMessage(stream._id, message.uuid)).deep.equal(message);
    }
  });
});
