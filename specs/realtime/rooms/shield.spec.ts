import { expect } from "chai";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { chatMessageDoc, chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { keys } from "../../../store/redis/keys.ts";
import { codeOf, openRoomsWorld, type RoomsWorld, type Talker, talker } from "./world.ts";

let follows = 0;

const LINK = "look at https://example.com/x";

describe("A shielded room", () => {
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  /** Shielded; the speakers have followed it for long enough. */
  async function shielded(...speakers: Talker[]): Promise<StreamDoc> {
    const stream = await world.channel({ shieldMode: true });
    for (const { userId } of speakers) {
      const createdAt = new Date(world.clock.now() - 3_600_000);
      await world.follow({ id: `${++follows}`, followerId: userId, followingId: stream.userId, createdAt });
    }
    return stream;
  }

  /** As if the speaker had sent a message there a day ago. */
  async function chattedBefore(stream: StreamDoc, { userId, username }: Talker): Promise<void> {
    const other = await world.channel();
    const { message, ...position } = await world.say(other, { userId, username }, "hello");
    const doc = chatMessageDoc(stream._id, position, message);
    await chatMessagesIn(world.db).archive([{ kind: "message", doc }], new Date());
  }

  const send = (stream: StreamDoc, sender: Talker, content: string, nonce?: string) =>
    world.rooms.send({ streamId: stream._id, sender, content, ...(nonce === undefined ? {} : { nonce }) });

  it("lets nobody speak who never chatted there", async () => {
    const [known, stranger] = [talker(), talker()];
    const stream = await shielded(known, stranger);
    await chattedBefore(stream, known);

    expect(codeOf(await send(stream, stranger, "hello"))).equal("first_time_chatter");
    expect(codeOf(await send(stream, known, "hello"))).equal("admitted");
  });

  it("queries the archive once for a stranger who tries again", async () => {
    const stranger = talker();
    const stream = await shielded(stranger);
    expect(codeOf(await send(stream, stranger, "hello"))).equal("first_time_chatter");

    expect(await world.redis.get(keys.roomChatted(stream._id, stranger.userId))).equal("0");
    expect(codeOf(await send(stream, stranger, "and now?"))).equal("first_time_chatter");
  });

  it("holds links for its moderators, once however often they are sent with a nonce", async () => {
    const known = talker();
    const stream = await shielded(known);
    await chattedBefore(stream, known);
    const before = await world.rooms.position(stream._id);

    const held = await send(stream, known, LINK, "n1");
    const again = await send(stream, known, LINK, "n1");

    expect(codeOf(held)).equal("held");
    expect(again).deep.equal(held);
    expect(await world.rooms.position(stream._id)).deep.equal(before);
    const queue = await world.rooms.held.of(stream._id, world.clock.now());
    expect(queue.map(({ message, matchedTerm }) => [message.content, matchedTerm])).deep.equal([
      [LINK, "link"],
    ]);
  });

  it("counts a held message towards the author's rate", async () => {
    const known = talker();
    const stream = await shielded(known);
    await chattedBefore(stream, known);

    await send(stream, known, LINK);

    expect(codeOf(await send(stream, known, "hello"))).equal("rate_limited");
  });

  it("holds none of the owner's, and none five minutes later", async () => {
    const known = talker();
    const stream = await shielded(known);
    await chattedBefore(stream, known);
    const owner = { userId: stream.userId, username: "owner" };
    await send(stream, known, LINK);

    expect(codeOf(await send(stream, owner, LINK))).equal("admitted");
    world.advance(300_000);

    expect(await world.rooms.held.of(stream._id, world.clock.now())).deep.equal([]);
  });

  it("holds ten of an author in five minutes, whatever was decided about them, so that others are held as well", async () => {
    const [eager, other] = [talker(), talker()];
    const stream = await shielded(eager, other);
    for (const known of [eager, other]) await chattedBefore(stream, known);
    const codes: string[] = [];
    for (let i = 0; i < 11; i++) {
      codes.push(codeOf(await send(stream, eager, `${LINK}/${i}`)));
      world.advance(11_000);
      const [first] = await world.rooms.held.of(stream._id, world.clock.now());
      await world.rooms.held.drop(stream._id, first ? [first.message.uuid] : []);
    }

    expect(codes).deep.equal([...Array<string>(10).fill("held"), "rate_limited"]);
    expect(await send(stream, eager, `${LINK}/again`)).deep.include({
      code: "rate_limited",
      details: {
        retry_after_ms: 300_000 - 11 * 11_000,
        bucket: "chat",
        limit: 10,
        window_seconds: 300,
      },
    });
    expect(codeOf(await send(stream, eager, "no link"))).equal("admitted");
    expect(codeOf(await send(stream, other, LINK))).equal("held");
    world.advance(300_000 - 11 * 11_000);
    expect(codeOf(await send(stream, eager, `${LINK}/later`))).equal("held");
  });

  it("refuses what would be held while five hundred wait", async () => {
    const known = talker();
    const stream = await shielded(known);
    await chattedBefore(stream, known);
    const waiting = [...Array(500).keys()].flatMap((i) => [`m${i}`, "0 {}"]);
    await world.redis.hset(keys.roomHeld(stream._id), ...waiting);

    expect(codeOf(await send(stream, known, LINK))).equal("unavailable");
    expect(codeOf(await send(stream, known, "hello"))).equal("admitted");
  });
});
