// @waits: for requests that are refused after a second
import { expect } from "chai";
import { createHost } from "../../../actors/host/host.ts";
import { Mailboxes } from "../../../actors/host/mailbox.ts";
import { newId } from "../../../base/ids.ts";
import { eventually } from "../../support/eventually.ts";
import { type LogLine, recordingLog } from "../../support/recording-log.ts";
import { counterDefinition } from "./counter.ts";
import { openWorld, type World } from "./world.ts";

const user = { by: "somebody" };

/** A batch that the spec ends. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("waiting in an actor's mailbox", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  async function stuckCounter() {
    const { opened, open } = gate();
    const written: number[][] = [];
    const definition = counterDefinition(async (amounts) => {
      written.push(amounts);
      await opened;
    });
    const lines: LogLine[] = [];
    const log = recordingLog(lines);
    const host = createHost({ ...world.deps, log, outbox: world.outbox, machines: [definition] });
    const id = newId();
    await host.create(definition, id, { start: 0 }, user);
    const add = (amount: number, options: { by: string | null; key?: string }) => {
      const once = options.key ? { once: { key: options.key, request: { amount } } } : {};
      return host.ask(definition, id, { type: "add", amount }, { by: options.by, ...once });
    };
    const first = add(1, user);
    await eventually(() => written.length === 1, { what: "its batch is stuck" });
    return { add, first, open, written, lines };
  }

  it("refuses a user's request after a second with retry_after_ms, and leaves its key usable", async () => {
    const { add, first, open, written } = await stuckCounter();
    const key = newId();

    const refusal = await add(5, { ...user, key }).catch((err: unknown) => err);
    const before = written.length;
    open();
    await first;
    const again = await add(5, { ...user, key });

    expect(refusal).include({ code: "unavailable" });
    expect(Object(refusal).details.retry_after_ms).within(1_000, 3_000);
    expect([before, written]).deep.equal([1, [[1], [5]]]);
    expect(again).deep.equal({ ok: true, answer: { count: 6, status: "open" } });
  });

  it("is logged once when requests begin to be refused, with the actor of the first", async () => {
    const { add, first, open, lines } = await stuckCounter();

    const refusals = await Promise.allSettled([add(2, user), add(3, user), add(4, user)]);
    open();
    await first;

    expect(refusals.map(({ status }) => status)).deep.equal(["rejected", "rejected", "rejected"]);
    const warned = lines.filter(({ level }) => level === "warn");
    expect(warned.map(({ message }) => message)).deep.equal(["admission to mailboxes failed"]);
    expect(Object(warned[0]?.fields).actor).match(/^counter:/);
  });

  it("doesn't refuse what no user can repeat", async () => {
    const { add, first, open } = await stuckCounter();

    const report = add(7, { by: null });
    const refusal = await add(5, user).catch((err: unknown) => err);
    open();
    await first;

    expect(refusal).include({ code: "unavailable" });
    expect(await report).deep.equal({ ok: true, answer: { count: 8, status: "open" } });
  });
});

describe("mailboxes", () => {
  it("free the capacity of requests that were refused", async () => {
    const { opened, open } = gate();
    const handled: string[][] = [];
    const refused: string[] = [];
    const mailboxes = new Mailboxes<string>({
      capacity: 2,
      capacityOfAll: 2,
      batchSize: 10,
      concurrency: 1,
      async handle(_actor, batch) {
        handled.push(batch);
        await opened;
      },
      mayBeRefused: () => true,
      refuse: (_actor, item) => void refused.push(item),
    });
    mailboxes.post("a", "stuck");
    await eventually(() => handled.length === 1);

    const posted = ["b", "c", "d"].map((item) => mailboxes.post("a", item));
    await eventually(() => refused.length === 2, { what: "both that waited are refused" });
    const depth = mailboxes.depth();
    const isFree = mailboxes.post("a", "e");
    open();
    await mailboxes.idle();

    expect(posted).deep.equal([true, true, false]);
    expect([refused, depth, isFree]).deep.equal([["b", "c"], { actors: 1, requests: 0 }, true]);
    expect(handled).deep.equal([["stuck"], ["e"]]);
  });

  it("refuse what waited for 100 ms in a standing queue, if newer requests fill the batch", async () => {
    const handled: string[][] = [];
    const refused: string[] = [];
    const ends: (() => void)[] = [];
    const mailboxes = new Mailboxes<string>({
      capacity: 100,
      capacityOfAll: 100,
      batchSize: 1,
      concurrency: 1,
      async handle(_actor, batch) {
        handled.push(batch);
        await new Promise<void>((end) => void ends.push(end));
      },
      mayBeRefused: () => true,
      refuse: (_actor, item) => void refused.push(item),
    });
    const since = performance.now();
    const passed = (ms: number) => eventually(() => performance.now() - since > ms);
    const nextBatch = async () => {
      ends.shift()?.();
      await eventually(() => ends.length === 1);
    };

    mailboxes.post("actor", "a");
    await eventually(() => ends.length === 1);
    for (const item of ["b", "c"]) mailboxes.post("actor", item);
    await nextBatch();
    await passed(600);
    for (const item of ["d", "e"]) mailboxes.post("actor", item);
    await nextBatch();
    await passed(1_200);
    await nextBatch();

    expect([handled, refused]).deep.equal([[["a"], ["b"], ["c"], ["e"]], ["d"]]);
  });
});
