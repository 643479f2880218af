// @waits: until a queue counts as standing
import { expect } from "chai";
import { createRequestSlots } from "../../../api/http/request-slots.ts";
import { eventually } from "../../support/eventually.ts";
import { quietLog } from "../../support/quiet-log.ts";

describe("a standing queue for slots", () => {
  it("refuses what waited for over 100 ms only while others wait for the same slot", async () => {
    const limit = createRequestSlots({ slots: 1, log: quietLog() }).ofPages;
    const running = limit.slot(null);
    await running.take();
    const ends: string[] = [];
    const waiting = ["first", "second", "third", "fourth"].map((name) => {
      const slot = limit.slot(null);
      const taken = slot.take()?.then(
        () => ends.push(`${name} served`),
        () => ends.push(`${name} refused`),
      );
      return { free: slot.free, taken };
    });
    const since = performance.now();
    const passed = (ms: number) => eventually(() => performance.now() - since > ms);

    running.free();
    await waiting[0]?.taken;
    await passed(250);
    waiting[0]?.free();
    await waiting[1]?.taken;
    await passed(500);
    waiting[1]?.free();
    await Promise.all(waiting.map(({ taken }) => taken));

    expect(ends).deep.equal(["first served", "second served", "third refused", "fourth served"]);
  });
});
