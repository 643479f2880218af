import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../../../deploy/processes/config/project.ts";
import { Connection } from "../../../realtime/gateway/socket/connection.ts";
import { sendBufferLimits } from "../../../realtime/gateway/socket/send-buffer.ts";

const WAITING = /^\| commands of a socket that wait \| (\d+) \|/m;

describe("a socket's commands", () => {
  it("wait for each other, as many as docs/realtime.md says, and again once some are done", async () => {
    const page = readFileSync(join(projectRoot, "docs/realtime.md"), "utf8");
    const most = Number(WAITING.exec(page)?.[1]);
    const connection = new Connection({
      holder: null,
      ip: "192.0.2.1",
      purpose: { channel: null, after: null },
      slot: { release: () => undefined },
      buffer: sendBufferLimits(512 * 1024),
    });
    const hanging: (() => void)[] = [];
    const hangs = () => new Promise<void>((done) => void hanging.push(done));

    const taken = Array.from({ length: most + 1 }, (_, n) => connection.inTurn(`lane ${n % 3}`, hangs));

    expect(taken.filter(Boolean)).length(most);
    expect(taken.at(-1)).equal(false);
    // Each lane's first one is under way, in a later turn.
    await new Promise(setImmediate);
    for (const done of hanging) done();
    await new Promise(setImmediate);
    expect(connection.inTurn("lane 0", hangs)).equal(true);
  });
});
