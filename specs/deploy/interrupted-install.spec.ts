import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { eventually } from "../support/eventually.ts";

/** An npm that takes its time after a signal, as the real one does: it removes what it has installed. */
const SLOW_NPM = `#!/bin/sh
trap 'echo removing' INT
echo installing
while true; do sleep 0.1; done
`;

describe("installation that is interrupted", function () {
  this.timeout(20_000);
  let folder: string;
  let child: ChildProcess;
  let output: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "livecore-install-"));
    writeFileSync(join(folder, "npm"), SLOW_NPM);
    chmodSync(join(folder, "npm"), 0o755);
    writeFileSync(
      join(folder, "package-lock.json"),
      JSON.stringify({ packages: { "node_modules/one": { version: "1.0.0" } } }),
    );
    const module = JSON.stringify(pathToFileURL(join(projectRoot, "deploy/installation/install.mjs")).href);
    const source = `import { installed } from ${module}; await installed(${JSON.stringify(folder)});`;
    output = "";
    child = spawn(process.execPath, ["--input-type=module", "-e", source], {
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk) => {
        output += String(chunk);
      });
    await eventually(() => output.includes("installing\n"));
  });
  afterEach(() => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  it("says what npm does now, and ends npm at once when Ctrl-C is pressed again", async () => {
    child.kill("SIGINT");
    await eventually(() => output.includes("removing"));
    expect(child.exitCode).equal(null);

    await eventually(() => !child.kill("SIGINT") || child.exitCode !== null);

    expect(child.exitCode).equal(1);
    // npm forwards each signal of a terminal once more, at once: these counted as one.
    expect(output.match(/Stopping npm, which/g)).length(1);
    expect(output.match(/removing/g)).length(1);
  });
});
