import { expect } from "chai";
import { SharedReads } from "../../../realtime/gateway/feed/shared-reads.ts";
import { eventually } from "../../support/eventually.ts";

describe("reads that callers share", () => {
  function setUp({ ttlMs = 5, slowMs = 60_000, maxEntries = 2 } = {}) {
    const begun: { resolve: (value: number) => void; reject: (err: Error) => void }[] = [];
    const shared = new SharedReads<string, number>({ ttlMs, slowMs, maxEntries });
    const get = (key: string) =>
      shared.get(key, () => new Promise((resolve, reject) => void begun.push({ resolve, reject })));
    return { shared, begun, get };
  }

  it("are one for as long as a slow store takes, then anew", async () => {
    const { shared, begun, get } = setUp();
    const first = get("room");
    const marker = get("other");
    begun[1]?.resolve(0);
    await marker;
    // Its time is over, and with it that of the first, which began before.
    await eventually(() => !shared.has("other"), { what: "the end of the time to live" });

    const second = get("room");
    begun[0]?.resolve(7);
    expect([await first, await second]).deep.equal([7, 7]);
    expect(begun).length(2);
    await eventually(() => !shared.has("room"), { what: "the read is over" });
    void get("room");
    expect(begun).length(3);
  });

  it("that hang are begun anew after a while", async () => {
    const { shared, begun, get } = setUp({ slowMs: 10 });
    void get("room");
    await eventually(() => !shared.has("room"), { what: "the end of the time for a slow read" });
    void get("room");
    begun[0]?.resolve(1);
    await eventually(() => begun.length === 2, { what: "another read" });
    expect(shared.has("room"), "the hung one drops itself alone").equal(true);
  });

  it("aren't kept when they fail", async () => {
    const { begun, get } = setUp({ ttlMs: 60_000 });
    const failed = get("room").catch((err: unknown) => err);
    begun[0]?.reject(new Error("away"));
    expect(await failed).instanceOf(Error);
    void get("room");
    expect(begun).length(2);
  });

  it("are bounded: the oldest goes", () => {
    const { shared, get } = setUp({ ttlMs: 60_000 });
    for (const key of ["a", "b", "c"]) void get(key);
    expect(["a", "b", "c"].map((key) => shared.has(key))).deep.equal([false, true, true]);
  });
});
