import { expect } from "chai";
import { createOutageLog } from "../../base/outage-log.ts";
import { unavailable } from "../../contract/errors.ts";
import { repeat } from "../../jobs/tasks/repeat.ts";
import { eventually } from "../support/eventually.ts";
import { type LogLine, recordingLog } from "../support/recording-log.ts";

describe("Outage log", () => {
  let lines: LogLine[];
  let now: number;
  beforeEach(() => {
    lines = [];
    now = 0;
  });
  const outageLog = () => createOutageLog(recordingLog(lines), "counting", () => now);

  it("has one line when an outage begins and one when it ends, however many failures there are", () => {
    const outage = outageLog();

    outage.succeeded();
    for (let i = 0; i < 500; i++) outage.failed(new Error("gone"), { shard: 1 });
    now = 20_000;
    outage.succeeded();
    outage.succeeded();

    expect(lines.map(({ level, message }) => [level, message])).deep.equal([
      ["warn", "counting failed"],
      ["info", "counting recovered"],
    ]);
    expect(lines[0]?.fields).include({ shard: 1, failures: 1 });
    expect(lines[1]?.fields).deep.equal({ failures: 500, seconds: 20 });
  });

  it("logs a failure once a minute while an outage lasts", () => {
    const outage = outageLog();

    for (; now < 180_000; now += 250) outage.failed(new Error("gone"));

    expect(lines).length(3);
    expect(lines[2]?.fields).include({ failures: 481 });
  });

  it("logs the root cause of an unavailable store without a stack, other errors whole", () => {
    const refused = new Error("connect ECONNREFUSED 127.0.0.1:1");

    outageLog().failed(unavailable({ cause: refused }));
    const other = new TypeError("a mistake");
    outageLog().failed(other);

    expect(lines[0]?.fields).deep.equal({ reason: refused.message, failures: 1 });
    expect(lines[1]?.fields).include({ err: other });
  });

  it("logs failing rounds of a repeated job as one outage", async () => {
    let rounds = 0;
    const work = async () => {
      rounds += 1;
      if (rounds <= 50) throw new Error("gone");
    };

    const running = repeat("spec", work, { intervalMs: 1, clock: null, log: recordingLog(lines) });
    await eventually(() => rounds > 60);
    await running.stop();

    expect(lines.map(({ message }) => message)).deep.equal(["job round failed", "job round recovered"]);
  });
});
