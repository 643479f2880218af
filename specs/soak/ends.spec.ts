import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../../deploy/processes/config/project.ts";

describe("npm run soak, with scenarios that leave something running", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "livecore-soak-spec-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function run(...names: string[]): Promise<{ code: unknown; output: string }> {
    const out = join(folder, "soak.jsonl");
    const args = ["--import", "tsx", "specs/soak/restless-child.ts", "toys", ...names, "--out", out];
    return new Promise((resolve) => {
      const options = { cwd: projectRoot, timeout: 15_000, killSignal: "SIGKILL" as const };
      execFile(process.execPath, args, options, (err, stdout) =>
        resolve({ code: err === null ? 0 : (err.code ?? err.signal), output: stdout }),
      );
    });
  }

  it("ends with 1 once one is broken, and has kept a line of each", async () => {
    const { code, output } = await run();

    expect(code).equal(1);
    expect(output).include("2 scenarios").include("broken: broken").include("a promise was broken");
    const lines = readFileSync(join(folder, "soak.jsonl"), "utf8").trim().split("\n");
    expect(lines.map((line) => Object(JSON.parse(line)).ok)).deep.equal([true, false]);
  });

  it("ends with 0 where all promises held, and with 2 where nothing could be run", async () => {
    expect((await run("whole")).code).equal(0);
    expect((await run("unknown")).code).equal(2);
  });
});
