import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";

/** The tolerance, and a moment for the sweep. */
const MAX_LATE_MS = 3_000;

/** An open prediction, whose lock shows when its host's timers fire. */
export async function openPrediction({ owner, at }: Channel, seconds: number) {
  const outcomes = [{ title: "Red" }, { title: "Blue" }];
  const body = { title: "Who wins?", outcomes, duration_seconds: seconds };
  const { id } = await owner.api.ok("createPrediction", { params: at, body });
  const openedAt = performance.now();
  const status = async () => (await owner.api.ok("getPrediction", { params: { prediction_id: id } })).status;
  const passedMs = () => Math.round(performance.now() - openedAt);
  return {
    async expectOpen() {
      assert.equal(await status(), "active", `locked before ${passedMs()} ms of ${seconds} s`);
    },
    /** Waits for the lock; returns how much later it came than its time. Throws unless it is about that. */
    async lateMs(): Promise<number> {
      const withinMs = seconds * 1_000 - passedMs() + 2 * MAX_LATE_MS;
      await eventually(async () => (await status()) === "locked", { withinMs, what: "it is locked" });
      const lateMs = passedMs() - seconds * 1_000;
      assert.ok(lateMs >= -100 && lateMs <= MAX_LATE_MS, `the prediction was locked ${lateMs} ms late`);
      return lateMs;
    },
  };
}
