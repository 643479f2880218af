import { expect } from "chai";
import type { StoredConfig } from "../../../../realtime/rooms/config/room-configs.ts";
import { createRoomConfigs } from "../../../../realtime/rooms/config/room-configs.ts";
import { RoomText } from "../../../../realtime/rooms/config/room-text.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import { blockedTermsCollection } from "../../../../store/mongo/chat/blocked-terms.ts";
import { codeOf, openRoomsWorld, type RoomsWorld, talker } from "../world.ts";

const VIEWER = { isEmailVerified: false };

/** Half as many instructions as a channel may have: a text is held against them for some ten milliseconds. */
const slowTerms = Array.from({ length: 10 }, (_, i) => ({
  term: `a.{60}[a-z]{${i + 1}}\\w{20}!`,
  isRegex: true,
  action: "hold" as const,
}));

/** Letters without an order, never the same. */
function textOf(i: number): string {
  let state = i + 1;
  return Array.from({ length: 490 }, () => {
    state = (state * 48_271) % 0x7fffffff;
    return String.fromCharCode(0x61 + (state % 26));
  }).join("");
}

describe("The time that a channel's terms may take", function () {
  this.timeout(60_000);
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  /** Past the service, which would take them one by one. */
  async function withSlowTerms(): Promise<StreamDoc> {
    const stream = await world.channel();
    const first = Math.floor(Math.random() * 1e9) * 1_000;
    const of = { streamId: stream._id, channelId: stream.userId, createdBy: stream.userId };
    await blockedTermsCollection
      .in(world.db)
      .insertMany(
        slowTerms.map((term, i) => ({ _id: first + i, ...term, ...of, size: 30, createdAt: new Date() })),
      );
    await world.db
      .collection<StreamDoc>("streams")
      .updateOne({ _id: stream._id }, { $set: { chatConfigVersion: 1 } });
    return stream;
  }

  /** Null where it isn't refused for as long as many times the share is used up in. */
  async function firstRefusal(work: (text: string) => unknown): Promise<unknown> {
    const from = performance.now();
    for (let i = 0; performance.now() - from < 8_000; i++) {
      try {
        await work(textOf(i));
      } catch (err) {
        return err;
      }
    }
    return null;
  }

  it("is what it was after a change of them", async () => {
    const stored = (version: number): StoredConfig => ({ version, terms: slowTerms, emotes: [], badges: [] });
    let version = 1;
    const configs = createRoomConfigs({ redis: world.redis, load: async () => stored(version) });
    const room = await world.channel();
    /** How many texts are looked at before one is refused. */
    async function looked(): Promise<number> {
      let texts = 0;
      const refusal = await configs.of(room._id, version).then(
        ({ terms }) =>
          firstRefusal((text) => {
            terms.check(new RoomText(text), VIEWER);
            texts++;
          }),
        (err: unknown) => err,
      );
      expect(refusal).include({ code: "unavailable" });
      return texts;
    }
    const first = await looked();

    version = 2;
    const afterChange = await looked();
    const other = await configs.of((await world.channel())._id, version);

    expect(afterChange).below(first / 4);
    expect(other.terms.check(new RoomText("b"), VIEWER)).equal(null);
  });

  it("is the same for those who try them out", async () => {
    const stream = await withSlowTerms();
    const { test } = world.core.moderation.blockedTerms;

    const refusal = await firstRefusal((text) =>
      test(stream._id, { texts: [text], author: VIEWER, draft: null }),
    );

    expect(refusal).include({ code: "unavailable" });
  });

  it("can't be used up by one author, not even a banned one", async () => {
    const stream = await withSlowTerms();
    const [flooding, other] = [talker(), talker()];
    await world.say(stream, other, "hello");
    const ban = { kind: "ban", userId: flooding.userId, untilMs: null } as const;
    await world.act(stream._id, "chat.user_banned", {}, [ban]);
    const codes = new Set<string>();

    for (let i = 0; i < 200 && !codes.has("rate_limited"); i++) {
      const request = { streamId: stream._id, sender: flooding, content: textOf(i) };
      codes.add(await world.rooms.send(request).then(codeOf, ({ code }: { code: string }) => code));
    }
    world.advance(2_000);
    const outcome = await world.rooms
      .send({ streamId: stream._id, sender: other, content: "still here" })
      .then(codeOf, ({ code }: { code: string }) => code);

    expect(outcome).equal("admitted");
    expect([...codes]).deep.equal(["banned", "rate_limited"]);
  });
});
