import { expect } from "chai";
import { MongoClient } from "mongodb";
import type { Rooms } from "../../../../realtime/rooms/rooms.ts";
import { channelRolesIn } from "../../../../store/mongo/channels/channel-roles.ts";
import { followsIn } from "../../../../store/mongo/channels/follows.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import { streamsIn } from "../../../../store/mongo/channels/streams.ts";
import { chatBansIn } from "../../../../store/mongo/chat/chat-bans.ts";
import { eventually } from "../../../support/eventually.ts";
import { codeOf, openRoomsWorld, type RoomsWorld, talker } from "../world.ts";

const origin = { ip: "192.0.2.1", userAgent: null, requestId: "spec" };

describe("A room's terms", () => {
  let world: RoomsWorld;
  const others: Rooms[] = [];
  before(async () => {
    world = await openRoomsWorld();
  });
  afterEach(() => others.splice(0).map((rooms) => rooms.close()));
  after(() => world.close());

  function worker(own: Parameters<RoomsWorld["otherRooms"]>[0] = {}): Rooms {
    const rooms = world.otherRooms(own);
    others.push(rooms);
    return rooms;
  }

  const add = (stream: StreamDoc, term: string) =>
    world.core.moderation.blockedTerms.add(
      { streamId: stream._id, by: stream.userId, origin },
      { term, isRegex: false, action: "block" },
    );

  const send = async (rooms: Rooms, stream: StreamDoc, content: string) =>
    codeOf(await rooms.send({ streamId: stream._id, sender: talker(), content }));

  it("hold for every message that is admitted after the answer, on every worker that talks all the while", async () => {
    const stream = await world.channel();
    const workers = [world.rooms, worker(), worker()];
    let answered = 0;
    let isOver = false;
    const sent = new Map<number, string[]>();
    const talk = workers.map(async (rooms, w) => {
      for (let i = 0; !isOver; i++) {
        const term = answered;
        const code = await send(rooms, stream, `term${term} of ${w}, ${i}`);
        sent.set(term, [...(sent.get(term) ?? []), code]);
      }
    });
    try {
      for (let term = 1; term <= 8; term++) {
        await add(stream, `term${term}`);
        answered = term;
        await eventually(() => (sent.get(term)?.length ?? 0) >= 6);
      }
    } finally {
      isOver = true;
      await Promise.all(talk);
    }

    const [before, ...after] = [...sent.values()].map((codes) => new Set(codes));
    expect(before).deep.equal(new Set(["admitted"]));
    expect(after).deep.equal(Array(8).fill(new Set(["blocked_term"])));
  });

  it("go on without MongoDB, also on a worker that hadn't read them", async () => {
    const away = new MongoClient("mongodb://127.0.0.1:1", { serverSelectionTimeoutMS: 100 });
    const mongo = away.db("away");
    const stream = await world.channel();
    await world.say(stream, talker(), "hello");
    await add(stream, "spoiler");

    const late = worker({
      mongo,
      streams: streamsIn(mongo),
      grantedRoles: channelRolesIn(mongo),
      chatBans: chatBansIn(mongo),
      follows: followsIn(mongo),
    });
    expect(await send(late, stream, "a spoiler")).equal("blocked_term");
    expect(await send(late, stream, "nothing of it")).equal("admitted");
    await away.close();
  });
});
