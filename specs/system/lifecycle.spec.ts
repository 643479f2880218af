import { expect } from "chai";
import { createLife } from "../../deploy/lifecycle.ts";
import { quietLog } from "../support/quiet-log.ts";

describe("The life of a process", () => {
  it("closes what was opened, last first, once for any number of stops", async () => {
    const life = createLife(quietLog());
    const closed: string[] = [];
    for (const name of ["stores", "core", "http"])
      await life.start(
        name,
        () => name,
        (part) => closed.push(part),
      );

    const [first, second] = await Promise.all([life.stop(), life.stop()]);

    expect(closed).deep.equal(["http", "core", "stores"]);
    expect(first).deep.equal([]);
    expect(second).equal(first);
  });

  it("passes over a part that hangs or fails, and names it", async () => {
    const log = quietLog();
    const life = createLife(log);
    const closed: string[] = [];
    await life.start(
      "stores",
      () => "stores",
      (part) => closed.push(part),
    );
    await life.start(
      "hangs",
      () => null,
      () => new Promise(() => undefined),
      { deadlineMs: 20 },
    );
    await life.start(
      "fails",
      () => null,
      () => Promise.reject(new Error("no")),
    );

    expect(await life.stop()).deep.equal(["fails", "hangs"]);

    expect(closed).deep.equal(["stores"]);
    expect(log.errors).length(1);
  });

  it("keeps nothing of a part whose opening failed", async () => {
    const life = createLife(quietLog());
    const opening = life.start(
      "broken",
      () => Promise.reject(new Error("no luck")),
      () => expect.fail("closed"),
    );

    const outcome = await opening.catch((err: Error) => err.message);

    expect(outcome).equal("no luck");
    expect(await life.stop()).deep.equal([]);
  });

  it("closes again what was still opening when the stop began, and opens nothing after it", async () => {
    const life = createLife(quietLog());
    const closed: string[] = [];
    let open: (value: string) => void = () => undefined;
    const opening = life.start(
      "slow",
      () =>
        new Promise<string>((resolve) => {
          open = resolve;
        }),
      (part) => closed.push(part),
    );

    const stopped = life.stop();
    open("slow");
    const outcome = await opening.catch((err: Error) => err.message);
    await stopped;
    const after = await life.start("late", () => expect.fail("opened")).catch((err: Error) => err.message);

    expect(closed).deep.equal(["slow"]);
    expect(outcome).include("stopping");
    expect(after).include("stopping");
  });
});
