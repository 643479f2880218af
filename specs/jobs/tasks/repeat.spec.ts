import { expect } from "chai";
import { repeat } from "../../../jobs/tasks/repeat.ts";
import { eventually } from "../../support/eventually.ts";
import { quietLog } from "../../support/quiet-log.ts";

describe("periodic work", () => {
  const clock = { isTrue: true, now: () => Date.now(), isTrusted: () => clock.isTrue };

  it("begins no run while the clock isn't trusted, and goes on afterwards", async () => {
    const rounds = { timed: 0, untimed: 0 };
    const timed = async () => void rounds.timed++;
    const untimed = async () => void rounds.untimed++;
    clock.isTrue = false;
    const running = [
      repeat("timed", timed, { intervalMs: 1, clock, log: quietLog() }),
      repeat("untimed", untimed, { intervalMs: 1, clock: null, log: quietLog() }),
    ];

    await eventually(() => rounds.untimed > 20);
    expect(rounds.timed).equal(0);

    clock.isTrue = true;
    await eventually(() => rounds.timed > 2);
    await Promise.all(running.map((one) => one.stop()));
  });
});
