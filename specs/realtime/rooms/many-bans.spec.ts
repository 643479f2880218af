import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import type { ChatBanDoc, ChatBans } from "../../../store/mongo/chat/chat-bans.ts";
import { keys } from "../../../store/redis/keys.ts";
import { codeOf, openRoomsWorld, type RoomsWorld, talker } from "./world.ts";

const BANS = 5_000;

describe("A room with thousands of bans", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  async function ban(stream: StreamDoc, untils: (Date | null)[]): Promise<string[]> {
    const { _id: streamId, userId: by } = stream;
    const docs = untils.map((until): ChatBanDoc => {
      const userId = newId();
      return {
        _id: `${streamId}:${userId}`,
        streamId,
        userId,
        until,
        by,
        reason: null,
        createdAt: new Date(),
      };
    });
    await world.db.collection<ChatBanDoc>("chat_bans").insertMany(docs);
    return docs.map(({ userId }) => userId);
  }

  /** Another worker, which reads bans by this. */
  function worker(bansInForce: ChatBans["bansInForce"]) {
    return world.otherRooms({ chatBans: { ...world.chatBans, bansInForce } });
  }

  it("is loaded once for all who find it missing, and no command to Redis is long", async () => {
    const stream = await world.channel();
    const banned = await ban(
      stream,
      [...Array(BANS)].map(() => null),
    );
    const loads: number[] = [];
    const rooms = worker((...args) => {
      loads.push(1);
      return world.chatBans.bansInForce(...args);
    });
    let longest = 0;
    const send = world.redis.sendCommand.bind(world.redis);
    world.redis.sendCommand = (...args: Parameters<typeof send>) => {
      longest = Math.max(longest, args[0].args.length);
      return send(...args);
    };

    const who = [...banned.slice(-20), ...[...Array(80)].map(() => newId())];
    const sent = await Promise.all(
      who.map((userId, i) =>
        rooms.send({ streamId: stream._id, sender: { userId, username: "someone" }, content: `m${i}` }),
      ),
    );
    world.redis.sendCommand = send;
    rooms.close();

    expect(sent.map(codeOf)).deep.equal(who.map((_user, i) => (i < 20 ? "banned" : "admitted")));
    expect(loads).length(1);
    expect(longest).below(2_100);
    expect(await world.redis.keys(`${keys.room(stream._id)}:loading:*`)).deep.equal([]);
  });

  it("lets nobody in whose ban was lost on the way to Redis", async () => {
    const stream = await world.channel();
    const [first = ""] = await ban(
      stream,
      [...Array(1_500)].map(() => null),
    );
    let losses = 0;
    const rooms = worker(async function* (...args) {
      for await (const page of world.chatBans.bansInForce(...args)) {
        yield page;
        if (losses++ > 0) continue;
        const [prepared = ""] = await world.redis.keys(`${keys.room(stream._id)}:loading:*`);
        expect(await world.redis.del(prepared)).equal(1);
      }
    });

    const sender = { userId: first, username: "banned" };
    const outcome = await rooms.send({ streamId: stream._id, sender, content: "hi" });
    rooms.close();

    expect([codeOf(outcome), losses]).deep.equal(["banned", 4]);
  });

  it("forgets bans that are over, and what hid messages that its log no longer has", async () => {
    const stream = await world.channel();
    const inAMinute = new Date(world.clock.now() + 60_000);
    await ban(
      stream,
      [...Array(700)].map(() => inAMinute),
    );
    const [forGood = ""] = await ban(stream, [null]);
    const gone = talker();
    await world.act(stream._id, "chat.user_banned", {}, [
      { kind: "ban", userId: gone.userId, untilMs: null },
    ]);
    await world.say(stream, talker(), "first");
    const fields = async (kind: string) =>
      (await world.redis.hkeys(keys.roomState(stream._id))).filter((field) => field.startsWith(kind));
    expect([(await fields("b:")).length, (await fields("h:")).length]).deep.equal([702, 1]);
    const { epoch } = await world.rooms.position(stream._id);
    await world.redis.xtrim(keys.roomLog(stream._id), "MINID", `${epoch}-2`);

    for (let minute = 0; minute < 4; minute++) {
      world.advance(60_000);
      await world.say(stream, talker(), `minute ${minute}`);
    }

    expect(await fields("b:")).have.members([`b:${forGood}`, `b:${gone.userId}`]);
    expect(await fields("h:")).deep.equal([]);
  });
});
