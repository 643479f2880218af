import { expect } from "chai";
import { createLifecycle } from "../../deploy/processes/process/lifecycle.ts";
import { quietLog } from "../support/quiet-log.ts";

describe("The lifecycle of a process", () => {
  it("closes what was opened, last first, once for any number of stops", async () => {
    const lifecycle = createLifecycle(quietLog());
    const closed: string[] = [];
    for (const name of ["stores", "core", "http"])
      await lifecycle.start(
        name,
        () => name,
        (part) => closed.push(part),
      );

    const [first, second] = await Promise.all([lifecycle.stop(), lifecycle.stop()]);

    expect(closed).deep.equal(["http", "core", "stores"]);
    expect(first).deep.equal([]);
    expect(second).equal(first);
  });

  it("passes over a part that hangs or fails, and names it", async () => {
    const log = quietLog();
    const lifecycle = createLifecycle(log);
    const closed: string[] = [];
    await lifecycle.start(
      "stores",
      () => "stores",
      (part) => closed.push(part),
    );
    await lifecycle.start(
      "hangs",
      () => null,
      () => new Promise(() => undefined),
      { deadlineMs: 20 },
    );
    await lifecycle.start(
      "fails",
      () => null,
      () => Promise.reject(new Error("no")),
    );

    expect(await lifecycle.stop()).deep.equal(["fails", "hangs"]);

    expect(closed).deep.equal(["stores"]);
    expect(log.errors).length(1);
  });

  it("keeps nothing of a part whose opening failed", async () => {
    const lifecycle = createLifecycle(quietLog());
    const opening = lifecycle.start(
      "broken",
      () => Promise.reject(new Error("no luck")),
      () => expect.fail("closed"),
    );

    const outcome = await opening.catch((err: Error) => err.message);

    expect(outcome).equal("no luck");
    expect(await lifecycle.stop()).deep.equal([]);
  });

  it("closes again what was still opening when the stop began, and opens nothing after it", async () => {
    const lifecycle = createLifecycle(quietLog());
    const closed: string[] = [];
    let open: (value: string) => void = () => undefined;
    const opening = lifecycle.start(
      "slow",
      () =>
        new Promise<string>((resolve) => {
          open = resolve;
        }),
      (part) => closed.push(part),
    );

    const stopped = lifecycle.stop();
    open("slow");
    const outcome = await opening.catch((err: Error) => err.message);
    await stopped;
    const after = await lifecycle
      .start("late", () => expect.fail("opened"))
      .catch((err: Error) => err.message);

    expect(closed).deep.equal(["slow"]);
    expect(outcome).include("stopping");
    expect(after).include("stopping");
  });
});
