import { expect } from "chai";
import type { ServiceError } from "../../../contract/errors.ts";
import { createAdmissionQueue } from "../../../realtime/rooms/admission-queue.ts";
import { patienceSince } from "../../../realtime/rooms/patience.ts";
import { eventually } from "../../support/eventually.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { type LogLine, recordingLog } from "../../support/recording-log.ts";

describe("admission queue", () => {
  /** One place, a time that the spec moves, and messages that are decided about when the spec says so. */
  function stage() {
    let time = 0;
    const queue = createAdmissionQueue({ log: quietLog(), now: () => time, atOnce: 1 });
    const begun: string[] = [];
    const refused: string[] = [];
    const decided: (() => void)[] = [];
    const settled = () => new Promise((done) => void setImmediate(done));
    return {
      queue,
      begun,
      refused,
      settled,
      pass(ms: number): void {
        time += ms;
      },
      send(name: string, arrivedAt = time): void {
        const work = () => {
          begun.push(name);
          return new Promise<void>((done) => void decided.push(done));
        };
        queue.run(arrivedAt, work).catch(({ code, retryAfterMs }: ServiceError) => {
          expect(code).equal("unavailable");
          expect(retryAfterMs).within(1_000, 3_000);
          refused.push(name);
        });
      },
      async decide(): Promise<void> {
        await settled();
        decided.shift()?.();
        await settled();
      },
    };
  }

  it("runs as many messages at once as it has places, in their order", async () => {
    const { queue, begun, send, decide, settled } = stage();
    for (const name of ["a", "b", "c"]) send(name);
    await settled();
    expect(begun).deep.equal(["a"]);
    expect(queue.stats()).deep.include({ running: 1, waiting: 2 });

    await decide();
    await decide();

    expect(begun).deep.equal(["a", "b", "c"]);
  });

  it("refuses a message when its turn comes more than a second after its arrival", async () => {
    const { begun, refused, send, decide, pass, settled } = stage();
    send("a");
    send("came at once");
    pass(400);
    send("waited elsewhere", -700);
    await settled();
    expect(refused).deep.equal(["waited elsewhere"]);

    pass(601);
    await decide();

    expect(begun).deep.equal(["a"]);
    expect(refused).deep.equal(["waited elsewhere", "came at once"]);
  });

  it("refuses what waited too long even if no message is decided about", async () => {
    const { refused, send, pass, settled } = stage();
    send("a");
    send("b");
    await settled();
    pass(1_001);

    await eventually(() => refused.length === 1);

    expect(refused).deep.equal(["b"]);
  });

  it("counts and logs a look-up that isn't answered in time as that, not as an overload", async () => {
    const lines: LogLine[] = [];
    const queue = createAdmissionQueue({ log: recordingLog(lines) });
    const arrivedASecondAgo = performance.now() - 1_000;

    const refusal = await patienceSince(arrivedASecondAgo, queue)
      .for(new Promise<never>(() => undefined))
      .catch((err: unknown) => err);

    expect(refusal).include({ code: "unavailable" });
    expect(queue.stats()).deep.equal({ waiting: 0, running: 0, refused: 0, lateLookups: 1 });
    expect(lines.map(({ message }) => message)).deep.equal(["look-ups of messages failed"]);
  });

  it("lets messages of a burst wait for their turn", async () => {
    const { begun, refused, send, decide, pass } = stage();
    for (const name of ["a", "b", "c", "d", "e"]) send(name);

    for (let i = 0; i < 4; i++) {
      pass(220);
      await decide();
    }

    expect(begun).deep.equal(["a", "b", "c", "d", "e"]);
    expect(refused).deep.equal([]);
  });

  it("keeps waits short while more comes than is decided", async () => {
    const { begun, refused, send, decide, pass } = stage();
    send("a");
    for (let i = 1; i <= 4; i++) {
      send(`early ${i}`);
      send(`late ${i}`);
      pass(101);
      await decide();
    }

    expect(begun).deep.equal(["a", "early 1", "late 1", "early 4"]);
    expect(refused).deep.equal(["early 2", "late 2", "early 3", "late 3", "late 4"]);
  });

  it("keeps waits short in a queue that hasn't been empty for a second", async () => {
    const { begun, refused, send, decide, pass } = stage();
    send("a");
    send("b");
    for (let i = 0; i <= 10; i++) {
      send(`next ${i}`);
      pass(101);
      await decide();
    }

    expect(begun.length).equal(11);
    expect(refused).deep.equal(["next 9", "next 10"]);
  });

  it("refuses at once what would wait too long behind others", async () => {
    const { refused, send, pass, settled } = stage();
    send("a");
    send("b");
    for (let i = 0; i < 3; i++) {
      send("more");
      pass(100);
    }
    send("hopeless");
    await settled();

    expect(refused).include("hopeless");
  });

  it("admits without a wait again once it has been empty", async () => {
    const { begun, refused, send, decide, pass, settled } = stage();
    send("a");
    send("late");
    pass(1_001);
    await decide();
    expect(refused).deep.equal(["late"]);

    send("b");
    await settled();

    expect(begun).deep.equal(["a", "b"]);
  });
});
