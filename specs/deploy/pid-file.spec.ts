import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { writePidFile } from "../../deploy/processes/primary/pid-file.ts";
import { StartError } from "../../deploy/processes/process/start-error.ts";
import { quietLog } from "../support/quiet-log.ts";

describe("Pid file", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "livecore-pid-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it("a pid file holds the process's id until it is removed", () => {
    const written = writePidFile({ home: join(home, "new"), pidFile: null }, quietLog());

    expect(readFileSync(join(home, "new/livecore.pid"), "utf8")).equal(`${process.pid}\n`);
    written?.remove();
    expect(readdirSync(join(home, "new"))).deep.equal([]);
  });

  for (const [where, path] of [
    ["below /proc", () => "/proc/nope/livecore.pid"],
    ["in a missing folder", () => join(home, "nope/livecore.pid")],
    ["at a folder's path", () => join(home, "folder")],
  ] as const) {
    it(`a pid file ${where} is refused, and no draft is left`, () => {
      mkdirSync(join(home, "folder"));

      expect(() => writePidFile({ home, pidFile: path() }, quietLog())).throw(StartError, "Correct PID_FILE");

      expect(readdirSync(home)).deep.equal(["folder"]);
    });
  }

  it("a pid file replaces a link at its path, not the link's target", () => {
    const path = join(home, "livecore.pid");
    symlinkSync("/dev/null", path);

    writePidFile({ home, pidFile: path }, quietLog());

    expect(readFileSync(path, "utf8")).equal(`${process.pid}\n`);
  });
});
