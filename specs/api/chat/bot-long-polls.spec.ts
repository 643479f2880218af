import { expect } from "chai";
import { createBotLongPolls } from "../../../api/chat/bot-long-polls.ts";
import { keys } from "../../../store/redis/keys.ts";
import { openRoomsWorld, type RoomsWorld } from "../../realtime/rooms/world.ts";
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
      poll({ streamId, userId: `of-${tokenId}`, tokenId, signal, after: null, limit: 1, waitMs: 25_000 });
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
    // Nothing of a token or an account stays when its requests are over.
    const holders = ["token-7", "of-token-7", "one-more", "of-one-more"].map(keys.longPollsOf);
    expect(await world.redis.exists(...holders)).equal(0);
  });

  it("refuses the eleventh of an account by other tokens in other processes until one is over", async () => {
    const { _id: streamId } = await world.channel();
    const processes = [longPolls(), longPolls()] as const;
    const { signal } = new AbortController();
    const ask = (i: number, userId = "many-tokens") =>
      processes[i % 2 === 0 ? 0 : 1].poll({
        streamId,
        userId,
        tokenId: `one-of-many-${i}`,
        signal,
        after: null,
        limit: 1,
        waitMs: 25_000,
      });
    const waits = () => processes.reduce((sum, { goOn }) => sum + goOn.length, 0);
    const waiting = Array.from({ length: 10 }, (_, i) => ask(i));
    await eventually(() => waits() === 10, { what: "all of them wait" });

    const refused = await ask(10).catch((err: unknown) => err);
    expect(refused).nested.include({ code: "rate_limited", "details.bucket": "bot_polls" });
    expect(refused).nested.include({ "details.limit": 10 });
    const others = ask(11, "another-account");
    await eventually(() => waits() === 11, { what: "another account's waits" });

    processes[0].goOn[0]?.();
    await waiting[0];
    const again = ask(12);
    await eventually(() => waits() === 12, { what: "the next one waits" });
    for (const { goOn } of processes) for (const go of goOn) go();
    await Promise.all([...waiting, others, again]);
  });

  it("that a process took along when it died are forgotten in half a minute", async () => {
    const { _id: streamId } = await world.channel();
    const [dead, living] = [longPolls(), longPolls()];
    const { signal } = new AbortController();
    const request = {
      streamId,
      userId: "dead",
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
