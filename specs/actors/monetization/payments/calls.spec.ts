import { expect } from "chai";
import { createPlatformCalls } from "../../../../actors/monetization/payments/call-sweep.ts";
import { CallRefused } from "../../../../actors/monetization/payments/platform.ts";
import { newId } from "../../../../base/ids.ts";
import { inTransaction } from "../../../../store/mongo/driver/transaction.ts";
import {
  type PlatformCall,
  platformCallDocs,
  platformCallsIn,
} from "../../../../store/mongo/monetization/platform-calls.ts";
import { openWorld, type World } from "../../host/world.ts";

describe("A call to a payment platform", () => {
  let world: World;
  let received: { id: string; kind: string }[] = [];
  let alerts: string[] = [];
  let isAway = false;
  let isRefusing = false;
  /** Keys of all calls, those that failed too. */
  let tried: string[] = [];
  let sweep: (isSure?: () => boolean) => Promise<void>;
  before(async () => {
    world = await openWorld();
    const { mongo, clock } = world;
    const platform = {
      reports: "own" as const,
      openCheckout: () => Promise.reject(new Error("nobody pays here")),
      verifyHook: () => undefined,
      readHook: () => null,
      async call(id: string, { kind }: PlatformCall) {
        tried.push(id);
        if (isRefusing) throw new CallRefused("not now");
        if (isAway) throw new Error("the platform is away");
        received.push({ id, kind });
      },
    };
    const onAlert = (what: string) => void alerts.push(what);
    sweep = createPlatformCalls({ mongo, clock, log: world.deps.log, platform, onAlert }).sweep;
  });
  after(() => world.close());
  beforeEach(async () => {
    [received, alerts, isAway] = [[], [], false];
    [tried, isRefusing] = [[], false];
    await world.mongo.db.collection("platform_calls").deleteMany({});
  });

  const decide = (subject: string, ...kinds: ("stop" | "resume" | "end")[]) =>
    inTransaction(world.mongo.client, (session) => {
      const calls = kinds.map((kind) => ({ kind, platformId: "p" }) as const);
      const docs = platformCallDocs(subject, calls, new Date(world.clock.now()));
      return platformCallsIn(world.mongo.db).insert(docs, session);
    });
  const left = () => world.mongo.db.collection("platform_calls").countDocuments();

  it("is made once, in the order of each subject", async () => {
    await decide(newId(), "stop", "resume", "stop");
    for (let i = 0; i < 3; i++) await sweep();
    expect(received.map(({ kind }) => kind)).deep.equal(["stop", "resume", "stop"]);
    expect(await left()).equal(0);
  });

  it("is tried again with the same key while the platform is away, later and later, and somebody is alerted", async () => {
    const subject = newId();
    await decide(subject, "stop", "resume");
    isAway = true;
    await sweep();
    await sweep();
    expect(alerts).deep.equal(["platform_call_failed"]);
    isAway = false;
    await sweep();
    // The second waits for the first, which waits for its time.
    expect(received).deep.equal([]);
    world.move(10_000);
    await sweep();
    await sweep();
    expect(received.map(({ kind }) => kind)).deep.equal(["stop", "resume"]);
  });

  it("is made with a key of its own after a refusal, which the platform may repeat for the old one", async () => {
    await decide(newId(), "stop");
    isAway = true;
    await sweep();
    world.move(2_000);
    [isAway, isRefusing] = [false, true];
    await sweep();
    world.move(4_000);
    isRefusing = false;
    await sweep();
    expect(received.length).equal(1);
    const [first, second, third] = tried;
    expect(second).equal(first);
    expect(third).not.equal(first);
  });

  it("isn't made any more after three failures in a row, nor once another process may be making it", async () => {
    for (let i = 0; i < 6; i++) await decide(newId(), "stop");
    isAway = true;
    await sweep();
    expect(tried.length).equal(3);
    isAway = false;
    await sweep(() => tried.length < 5);
    expect(tried.length).equal(5);
  });

  it("holds back later calls about its subject until its release, and keeps their order", async () => {
    const calls = platformCallsIn(world.mongo.db);
    const [held, other] = [newId(), newId()];
    await decide(held, "stop");
    await calls.hold(new Date(world.clock.now()));
    await decide(held, "resume");
    await decide(other, "end");

    await sweep();
    expect(received.map(({ kind }) => kind)).deep.equal(["end"]);

    await calls.release(null, new Date(world.clock.now()));
    await sweep();
    world.move(10_000);
    await sweep();
    expect(received.map(({ kind }) => kind)).deep.equal(["end", "stop", "resume"]);
  });

  it("reaches the platform although hundreds wait behind held calls about their subjects", async () => {
    const calls = platformCallsIn(world.mongo.db);
    const held = Array.from({ length: 150 }, () => newId());
    for (const subject of held) await decide(subject, "stop");
    await calls.hold(new Date(world.clock.now()));
    for (const subject of held) await decide(subject, "resume");
    world.move(1);
    await decide(newId(), "end");

    await sweep();
    await sweep();
    expect(received.map(({ kind }) => kind)).deep.equal(["end"]);
  });

  it("is given up after days, and what comes after it is made all the same", async () => {
    const subject = newId();
    await decide(subject, "stop", "resume");
    isAway = true;
    for (let i = 0; i < 60; i++) {
      await sweep();
      world.move(3_600_000);
    }
    expect(alerts.at(-1)).equal("platform_call_parked");
    isAway = false;
    await sweep();
    expect(received.map(({ kind }) => kind)).deep.equal(["resume"]);
    expect(await left()).equal(1);
  });
});
