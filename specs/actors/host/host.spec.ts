import { expect } from "chai";
import { MongoNetworkError } from "mongodb";
import { createHost } from "../../../actors/host/host.ts";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { type SnapshotDoc, snapshotsIn } from "../../../store/mongo/host/snapshots.ts";
import { connectRedis } from "../../../store/redis/connect.ts";
import { eventually } from "../../support/eventually.ts";
import { counterDefinition } from "./counter.ts";
import { openWorld, type World } from "./world.ts";

const by = { by: "somebody" };

describe("the actor host", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  function hostOf(definition = counterDefinition(), change: Partial<World["deps"]> = {}) {
    return createHost({ ...world.deps, ...change, outbox: world.outbox, machines: [definition] });
  }

  async function counter(definition = counterDefinition(), change: Partial<World["deps"]> = {}) {
    const host = hostOf(definition, change);
    const id = newId();
    await host.create(definition, id, { start: 0 }, by);
    const add = (amount: number, key?: string) =>
      host.ask(
        definition,
        id,
        { type: "add", amount },
        key ? { ...by, once: { key, request: { amount } } } : by,
      );
    return { host, id, definition, add };
  }

  const stored = async (id: string) => {
    const doc = await snapshotsIn(world.mongo.db).find(`counter:${id}`);
    if (!doc) throw new Error("no snapshot");
    return doc;
  };
  /** As other code would leave it, with a version of its own. */
  const put = (doc: SnapshotDoc) =>
    world.mongo.db
      .collection<SnapshotDoc>("snapshots")
      .replaceOne({ _id: doc._id }, { ...doc, version: doc.version + 1 });
  const errorOf = (promise: Promise<unknown>) =>
    promise.then(
      () => null,
      (err: unknown) => err,
    );

  it("commits what waits together: many events, few transactions, each effect once a batch", async () => {
    const batches: number[][] = [];
    const { id, add } = await counter(counterDefinition((amounts) => void batches.push(amounts)));

    const replies = await Promise.all(Array.from({ length: 1_200 }, () => add(1)));

    expect(replies.every((reply) => reply.ok)).equal(true);
    expect(replies.map((reply) => reply.ok && reply.answer.count)).deep.equal(replies.map((_, i) => i + 1));
    expect(batches.map((batch) => batch.length)).deep.equal([500, 500, 200]);
    expect((await stored(id)).version).equal(4);
  });

  it("drops the refused event of a batch alone, and sees the ones before it", async () => {
    const { add } = await counter();

    const replies = await Promise.all([add(5), add(-6), add(-5), add(-1), add(2)]);

    expect(replies.map((reply) => (reply.ok ? reply.answer.count : reply.refusal.code))).deep.equal([
      5,
      "insufficient_points",
      0,
      "insufficient_points",
      2,
    ]);
  });

  it("answers with invalid_state and the status where the state doesn't take the event", async () => {
    const { host, id, definition, add } = await counter();
    await host.ask(definition, id, { type: "close" }, by);

    expect(await add(1)).deep.equal({
      ok: false,
      refusal: { code: "invalid_state", details: { status: "closed" } },
    });
  });

  it("refuses what is no command of the machine, XState's own events above all", async () => {
    const { host, id, definition } = await counter();
    const forged = [
      { type: "xstate.after.10.counter.open" },
      { type: "xstate.done.actor.x" },
      { type: "toString" },
      { type: "add", amount: 1.5 },
      { type: "add", amount: 1, at: 0 },
      { type: "add" },
    ];

    for (const command of forged) {
      const err = await errorOf(host.ask(definition, id, command as never, by));
      expect(err).instanceOf(ServiceError).property("code", "validation_failed");
    }
  });

  it("fails an event alone when the machine throws on it or its context isn't JSON", async () => {
    const { host, id, definition, add } = await counter();

    const [one, bug, spoilt, two] = await Promise.all([
      add(1),
      errorOf(host.ask(definition, id, { type: "explode" }, by)),
      errorOf(host.ask(definition, id, { type: "spoil" }, by)),
      add(1),
    ]);

    expect([one, two].map((reply) => reply.ok && reply.answer.count)).deep.equal([1, 2]);
    expect(String(bug)).contain("the machine has a bug");
    expect(String(spoilt)).contain("context.bad is not JSON");
    expect((await stored(id)).snapshot).deep.equal({ value: "open", context: { count: 2 } });
  });

  it("finds the one event that a batch fails for, and commits the rest", async () => {
    const { add } = await counter(
      counterDefinition((amounts) => {
        if (amounts.includes(13)) throw new Error("no thirteens");
      }),
    );

    const replies = await Promise.all([add(1), errorOf(add(13)), add(2)]);

    expect(replies.map((reply) => (reply instanceof Error ? reply.message : reply))).deep.equal([
      { ok: true, answer: { count: 1, status: "open" } },
      "no thirteens",
      { ok: true, answer: { count: 3, status: "open" } },
    ]);
  });

  it("has room for 5,000 waiting events of an actor; the next is refused as unavailable", async () => {
    const opened: (() => void)[] = [];
    const gate = new Promise<void>((resolve) => opened.push(resolve));
    const { add } = await counter(counterDefinition(() => gate));
    const first = add(1);
    await new Promise((resolve) => setImmediate(resolve)); // the first batch is under way now
    const waiting = Array.from({ length: 5_000 }, () => add(1));

    const refused = await errorOf(add(1));
    for (const release of opened) release();

    expect(refused).instanceOf(ServiceError).property("code", "unavailable");
    const replies = await Promise.all([first, ...waiting]);
    expect(replies.every((reply) => reply.ok)).equal(true);
  });

  it("answers within the deadline, counted from the request, and begins nothing after it", async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const written: number[][] = [];
    const slow = counterDefinition(async (amounts) => {
      written.push(amounts);
      await gate;
    });
    const { id } = await counter();
    const host = createHost({ ...world.deps, outbox: world.outbox, machines: [slow], deadlineMs: 200 });
    const add = (amount: number) => errorOf(host.ask(slow, id, { type: "add", amount }, by));

    const first = add(1);
    await eventually(() => written.length === 1);
    const behind = [add(2), add(3)];

    for (const error of await Promise.all([first, ...behind])) expect(error).include({ code: "unavailable" });
    const fresh = add(4);
    open();
    expect(await fresh).equal(null);
    // The first was under way: what becomes of it isn't known when it is answered.
    expect(written).deep.equal([[1], [4]]);
    expect(Object((await stored(id)).snapshot).context.count).equal(5);
  });

  it("takes a refusal that an effect throws for the one request's answer, not for an unavailable store", async () => {
    const { add, host } = await counter(
      counterDefinition((amounts) => {
        if (amounts.includes(13)) throw new ServiceError("not_found");
      }),
    );

    const [one, bad, other] = await Promise.all([add(1), errorOf(add(13)), add(2)]);

    expect([one, other].map((reply) => reply.ok)).deep.equal([true, true]);
    expect(bad).include({ code: "not_found" });
    await host.idle();
  });

  it("gives one winner a version: rivals decide again on what they find", async () => {
    const { id, definition, host } = await counter();
    const rivals = [host, hostOf(definition), hostOf(definition), hostOf(definition)];

    await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        (rivals[i % 4] ?? host).ask(definition, id, { type: "add", amount: 1 }, by),
      ),
    );

    expect((await stored(id)).snapshot).deep.equal({ value: "open", context: { count: 200 } });
  });

  it("does without turns while Redis is unavailable, and is right all the same", async () => {
    const redis = connectRedis({ url: "redis://127.0.0.1:1", deadlineMs: 100, onError: () => undefined });
    const { id, definition, host } = await counter(counterDefinition(), { redis });
    const rival = hostOf(definition, { redis });

    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        (i % 2 ? host : rival).ask(definition, id, { type: "add", amount: 1 }, by),
      ),
    );
    redis.disconnect();

    expect((await stored(id)).snapshot).deep.equal({ value: "open", context: { count: 60 } });
  });

  it("finds a commit that happened although its answer was lost, and doesn't do it twice", async () => {
    let cuts = 1;
    const client = new Proxy(world.mongo.client, {
      get(target, name) {
        if (name !== "startSession") return Reflect.get(target, name);
        return () => {
          const session = target.startSession();
          const commit = session.commitTransaction.bind(session);
          session.commitTransaction = async () => {
            await commit();
            if (cuts-- > 0) throw new MongoNetworkError("the connection was cut after the commit");
          };
          return session;
        };
      },
    });
    const { id, definition } = await counter();
    const host = hostOf(definition, { mongo: { ...world.mongo, client } });

    const reply = await host.ask(definition, id, { type: "add", amount: 7 }, by);

    expect(reply).deep.equal({ ok: true, answer: { count: 7, status: "open" } });
    expect((await stored(id)).snapshot).deep.equal({ value: "open", context: { count: 7 } });
  });

  it("answers a key again with what it answered, whichever process gets the request", async () => {
    const { id, definition, add } = await counter();
    const once = { key: newId(), request: { amount: 3 } };

    const replies = await Promise.all([add(3, once.key), add(3, once.key)]);
    await add(10);
    const elsewhere = await hostOf(definition).ask(
      definition,
      id,
      { type: "add", amount: 3 },
      { ...by, once },
    );
    const other = await add(4, once.key);

    for (const reply of [...replies, elsewhere])
      expect(reply).deep.equal({ ok: true, answer: { count: 3, status: "open" } });
    expect(other).deep.equal({ ok: false, refusal: { code: "idempotency_conflict" } });
  });

  it("forgets a key after a day", async () => {
    const { id, add } = await counter();
    const key = newId();
    await add(3, key);

    world.move(24 * 3_600_000 + 1);
    await add(3, key);

    expect((await stored(id)).snapshot).nested.property("context.count", 6);
  });

  it("keeps no key for a refusal: the same request may succeed later", async () => {
    const { add } = await counter();
    const key = newId();

    expect((await add(-1, key)).ok).equal(false);
    await add(1);
    expect((await add(-1, key)).ok).equal(true);
  });

  it("refuses by the newest state, also when it remembers an older one of its own", async () => {
    const { id, add } = await counter();
    await add(5);
    const rival = createHost({ ...world.deps, outbox: world.outbox, machines: [counterDefinition()] });
    expect((await rival.ask(counterDefinition(), id, { type: "add", amount: 10 }, { by: null })).ok).equal(
      true,
    );

    expect((await add(-12)).ok).equal(true);
    expect((await rival.ask(counterDefinition(), id, { type: "close" }, { by: null })).ok).equal(true);
    const late = await add(1);

    expect(late.ok || late.refusal.code).equal("invalid_state");
    expect((await stored(id)).version).equal(5);
  });

  it("parks an actor whose snapshot it can't read, with an alert, and serves the others", async () => {
    const parked = [await counter(), await counter(), await counter()];
    const fine = await counter();
    const changes: Partial<SnapshotDoc>[] = [
      { machineVersion: 2 },
      { machine: "raid" },
      { snapshot: { value: "gone", context: {} } },
    ];
    for (const [i, { id }] of parked.entries()) await put({ ...(await stored(id)), ...changes[i] });

    for (const { add, id } of parked) {
      const before = await stored(id);
      expect(await errorOf(add(1))).instanceOf(Error);
      expect(await stored(id)).deep.equal(before);
    }
    expect((await fine.add(1)).ok).equal(true);
    expect(
      world.lines.filter(({ level, message }) => level === "error" && message.includes("parked")),
    ).length(3);
  });

  it("reads snapshots of an older version through its migrations", async () => {
    const { id } = await counter();
    await put({
      ...(await stored(id)),
      machineVersion: 1,
      snapshot: { value: "open", context: { total: 41 } },
    });
    const definition = {
      ...counterDefinition(),
      version: 2,
      migrations: { 1: () => ({ value: "open", context: { count: 41 } }) },
    };

    const reply = await hostOf(definition).ask(definition, id, { type: "add", amount: 1 }, by);

    expect(reply).deep.equal({ ok: true, answer: { count: 42, status: "open" } });
    expect((await stored(id)).machineVersion).equal(2);
  });

  it("makes an actor once: a second creation is refused, and so is a request to an actor that isn't there", async () => {
    const { host, id, definition } = await counter();

    const again = await host.create(definition, id, { start: 9 }, by);
    const nobody = await host.ask(definition, newId(), { type: "close" }, by);
    const refused = await host.create(definition, newId(), { start: -1 }, by);

    expect(again.ok || again.refusal.code).equal("invalid_state");
    expect(nobody.ok || nobody.refusal.code).equal("not_found");
    expect(refused.ok || refused.refusal.code).equal("validation_failed");
  });

  it("takes no input that the definition's schema doesn't let in", async () => {
    const definition = counterDefinition();
    const host = hostOf(definition);
    const open = { start: 1.5 };

    const created = await errorOf(host.create(definition, newId(), open, by));
    const requested = await errorOf(
      host.ask(definition, newId(), { type: "add", amount: 1 }, { ...by, input: open }),
    );

    const errors = [{ path: "/create/start", rule: "type", message: "must be integer" }];
    for (const err of [created, requested]) {
      expect(err).instanceOf(ServiceError).include({ code: "validation_failed" });
      expect(err).property("details").deep.equal({ errors });
    }
  });

  it("finishes what it took and takes nothing new once it is stopped", async () => {
    const { host, add } = await counter();
    const taken = [add(1), add(1)];
    // `ask` posts within the same turn of the loop.
    await host.stop();

    expect(await errorOf(add(1)))
      .instanceOf(ServiceError)
      .property("code", "unavailable");
    for (const reply of await Promise.all(taken)) expect(reply.ok).equal(true);
  });
});
