import { expect } from "chai";
import { createBotLongPolls } from "../../../api/chat/bot-long-polls.ts";
import { keys } from "../../../store/redis/keys.ts";
import { openRoomsWorld, type RoomsWorld } from "../../rooms/world.ts";
import { eventually } from "../../support/eventually.ts";

describe("waiting requests of bots", function () {
  this.timeout(60_000);
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  /** Of one process, whose rooms go on when `goOn` says so. */
  function longPolls() {
    const goOn: (() => void)[] = [];
    const roomWaits = { next: () => new Promise<boolean>((go) => goOn.push(() => go(false))) };
    return { goOn, ...createBotLongPolls({ rooms: world.rooms, redis: world.redis, roomWaits }) };
  }

  it("are two thousand in a process, of all users together; the next is refused until one is over", async () => {
    const { _id: streamId } = await world.channel();
    const { goOn, poll } = longPolls();
    const { signal } = new AbortController();
    const ask = (tokenId: string) =>
      poll({ streamId, tokenId, signal, after: null, limit: 1, waitMs: 25_000 });
    const waiting = Array.from({ length: 2_000 }, (_, i) => ask(`token-${i}`));
    await eventually(() => goOn.length === 2_000, { withinMs: 20_000, what: "all of them wait" });

    const refused = await ask("one-more").catch((err: unknown) => err);
    expect(refused).nested.include({ code: "rate_limited", "details.bucket": "bot_polls" });
    expect(refused).nested.include({ "details.limit": 2_000 });

    goOn[0]?.();
    await waiting[0];
    const again = ask("one-more");
    await eventually(() => goOn.length === 2_001, { what: "the next one waits" });
    for (const go of goOn) go();
    for (const { messages } of await Promise.all([...waiting, again])) expect(messages).deep.equal([]);
    // Nothing of a token stays when its requests are over.
    expect(await world.redis.exists(keys.longPollsOf("token-7"), keys.longPollsOf("one-more"))).equal(0);
  });

  it("that a process took along when it died are forgotten in half a minute", async () => {
    const { _id: streamId } = await world.channel();
    const [dead, living] = [longPolls(), longPolls()];
    const { signal } = new AbortController();
    const request = {
      streamId,
      tokenId: "of-the-dead",
      signal,
      after: null,
      limit: 1,
      waitMs: 25_000,
    };
    const lost = [dead.poll(request), dead.poll(request)];
    await eventually(() => dead.goOn.length === 2);

    const refused = await living.poll(request).catch((err: unknown) => err);
    expect(refused).nested.include({ code: "rate_limited", "details.limit": 2 });
    const key = keys.longPollsOf("of-the-dead");
    expect(await world.redis.pttl(key)).within(1, 30_000);
    const [, first, , second] = await world.redis.zrange(key, 0, "-1", "WITHSCORES");
    for (const until of [first, second]) expect(Number(until)).within(Date.now() + 1, Date.now() + 30_000);

    for (const go of dead.goOn) go();
    await Promise.all(lost);
  });
});
