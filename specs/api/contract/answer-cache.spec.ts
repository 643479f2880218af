import { expect } from "chai";
import { createAnswerCache } from "../../../api/http/answer-cache.ts";

const SECOND = 1_000;

/** A cache whose time the spec moves, with what was made for it. */
function openCache({ maxEntries = 100, maxBytes = 100_000 } = {}) {
  let time = 5_000;
  const made: string[] = [];
  const cache = createAnswerCache({ ttlMs: SECOND, maxEntries, maxBytes, now: () => time });
  return {
    ...cache,
    made,
    move: (ms: number) => {
      time += ms;
    },
    async read(key: string, body = key): Promise<string> {
      const { answer } = cache.get(key, async () => {
        made.push(key);
        return Buffer.from(body);
      });
      return (await answer).toString();
    },
  };
}

describe("a cache of answers", () => {
  it("makes an answer once within its time, and again at its end", async () => {
    const { read, move, made } = openCache();

    expect(await read("a", "first")).equal("first");
    move(SECOND - 1);
    expect(await read("a", "second")).equal("first");
    move(1);
    expect(await read("a", "third")).equal("third");
    expect(made).length(2);
  });

  it("lets all who come while one is made wait for it", async () => {
    const { get } = openCache();
    const making = promised();
    const lookups = [1, 2, 3].map(() => get("a", () => making.promise));

    making.resolve(Buffer.from("made"));

    expect(lookups.map(({ lookup }) => lookup)).deep.equal(["miss", "shared", "shared"]);
    expect((await Promise.all(lookups.map(({ answer }) => answer))).map(String)).deep.equal(
      Array(3).fill("made"),
    );
    expect(get("a", () => making.promise).lookup).equal("hit");
  });

  it("lets nobody wait for one that began to be made longer ago", async () => {
    const { get, move, read } = openCache();
    const slow = promised();
    const first = get("a", () => slow.promise);
    move(SECOND);

    expect(await read("a", "newer")).equal("newer");

    slow.resolve(Buffer.from("older"));
    expect(String(await first.answer)).equal("older");
    expect(await read("a")).equal("newer");
  });

  it("doesn't keep a failure, which all who wait for it share", async () => {
    const { get, read, size } = openCache();
    const failing = promised();
    const waiting = [1, 2].map(() => get("a", () => failing.promise).answer);

    failing.reject(new Error("away"));

    const settled = await Promise.allSettled(waiting);
    expect(settled.map(({ status }) => status)).deep.equal(["rejected", "rejected"]);
    expect(size()).deep.equal({ entries: 0, bytes: 0 });
    expect(await read("a", "there")).equal("there");
  });

  it("keeps so many at most, the newest", async () => {
    const { read, size, made } = openCache({ maxEntries: 10 });
    for (let i = 0; i < 1_000; i++) await read(`key ${i}`);

    expect(size().entries).equal(10);
    await read("key 999");
    expect(made).length(1_000);
    await read("key 0");
    expect(made).length(1_001);
  });

  it("holds so many bytes at most, keys and what is being made included", async () => {
    const { get, read, size } = openCache({ maxBytes: 10_000 });
    for (let i = 0; i < 100; i++) await read(`key ${i}`, "x".repeat(1_000));
    expect(size().bytes).within(5_000, 10_000);

    const never = new Promise<Buffer>(() => undefined);
    for (let i = 0; i < 100; i++) get(`${i} ${"k".repeat(1_000)}`, () => never);
    expect(size().bytes).within(5_000, 10_000);
  });

  it("doesn't give up the others for one that is larger than all it may hold", async () => {
    const { read, made } = openCache({ maxBytes: 10_000 });
    await read("small");
    await read("large", "x".repeat(20_000));

    await read("small");

    expect(made).deep.equal(["small", "large"]);
  });

  it("lets go of what has run out when the next one is requested", async () => {
    const { read, move, size } = openCache();
    for (let i = 0; i < 50; i++) await read(`key ${i}`);
    move(SECOND);

    await read("next");

    expect(size().entries).equal(1);
  });
});

/** An answer that is given, or fails, when the spec says so. */
function promised() {
  let resolve: (body: Buffer) => void = () => undefined;
  let reject: (err: Error) => void = () => undefined;
  const promise = new Promise<Buffer>((...both) => {
    [resolve, reject] = both;
  });
  return { promise, resolve, reject };
}
